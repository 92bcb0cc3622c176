import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import type { LaneTransport } from "../../transports/transport.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import { findDoubts, type SentUnknown } from "./doubts.ts";
import { recordOutgoing } from "./outgoing-messages.ts";
import { connectionsInDoubt, reconcileConnection } from "./reconcile.ts";

/** Searches per look: each costs the gateway a scan. */
const ASKED_AT_ONCE = 4;

export type ReconcilerDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  times: LaneTimes;
  changed(campaigns: readonly Changed[]): void;
  hidden?: HiddenListener | undefined;
};

export type Reconciled = {
  connectionId: number;
  transport: Pick<LaneTransport, "sentTo">;
  mayAct(): boolean;
};

export type Reconciler = {
  look(lanes: readonly Reconciled[]): Promise<void>;
};

/** Settles gateway doubts by the database, then by asking the gateway at growing intervals. */
export function openReconciler({ db, clock, log, times, changed, hidden }: ReconcilerDeps): Reconciler {
  const asked = new Map<string, { next: number; times: number }>();
  /** Being searched: one that hangs must not delay others. */
  const asking = new Set<number>();

  async function lookAt(id: number, lane: Reconciled | undefined, seen: Set<string>): Promise<void> {
    changed(await reconcileConnection(db, id, hidden));
    if (!lane?.transport.sentTo) return;
    const doubts = await findDoubts(db, id);
    for (const one of doubts) seen.add(keyOf(one));
    if (asking.has(id)) return;
    asking.add(id);
    void askAll(lane, doubts.filter(isDue).slice(0, ASKED_AT_ONCE)).finally(() => asking.delete(id));
  }

  async function askAll(lane: Reconciled, people: readonly SentUnknown[]): Promise<void> {
    for (const one of people) if (lane.mayAct()) await ask(lane, one);
  }

  function isDue(one: SentUnknown): boolean {
    const known = asked.get(keyOf(one));
    // Expired doubts get a few searches: perhaps none was possible before.
    if (known && !one.open && known.times >= times.search.length) return false;
    if (known) return clock.monotonic() >= known.next;
    asked.set(keyOf(one), { next: clock.monotonic() + pause(0), times: 0 });
    return false;
  }

  const pause = (nth: number) => times.search[Math.min(nth, times.search.length - 1)] ?? 0;

  async function ask({ connectionId, transport }: Reconciled, one: SentUnknown): Promise<void> {
    const before = asked.get(keyOf(one))?.times ?? 0;
    asked.set(keyOf(one), { next: clock.monotonic() + pause(before + 1), times: before + 1 });
    const address = { jid: one.jid ?? one.phone ?? "", lid: one.lid };
    try {
      const found = await transport.sentTo?.(address, new Date(one.window?.from ?? 0));
      await recordOutgoing(db, connectionId, found ?? []);
    } catch (error) {
      log.info({ err: error, connectionId }, "the gateway could not be asked what it sent");
    }
  }

  const warn = (error: unknown, connectionId?: number) =>
    log.warn({ err: error, connectionId }, "doubts of gateways were not looked after");

  return {
    async look(lanes) {
      try {
        const owned = new Map(lanes.map((one) => [one.connectionId, one]));
        const seen = new Set<string>();
        let seenAll = true;
        for (const id of await connectionsInDoubt(db, [...owned.keys()]))
          await lookAt(id, owned.get(id), seen).catch((error: unknown) => {
            seenAll = false;
            warn(error, id);
          });
        for (const key of asked.keys()) if (seenAll && !seen.has(key)) asked.delete(key);
      } catch (error) {
        warn(error);
      }
    },
  };
}

const keyOf = ({ owner }: SentUnknown): string => Object.values(owner).join(" ");
