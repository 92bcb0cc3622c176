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

/** Settles gateway doubts by the database, then by asking the gateway at growing intervals. */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #asked = new Map<string, { next: number; times: number }>();
  /** Being searched: one that hangs must not delay others. */
  readonly #asking = new Set<number>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  async look(lanes: readonly Reconciled[]): Promise<void> {
    try {
      const owned = new Map(lanes.map((one) => [one.connectionId, one]));
      const seen = new Set<string>();
      let seenAll = true;
      for (const id of await connectionsInDoubt(this.#deps.db, [...owned.keys()]))
        await this.#lookAt(id, owned.get(id), seen).catch((error: unknown) => {
          seenAll = false;
          this.#warn(error, id);
        });
      for (const key of this.#asked.keys()) if (seenAll && !seen.has(key)) this.#asked.delete(key);
    } catch (error) {
      this.#warn(error);
    }
  }

  async #lookAt(id: number, lane: Reconciled | undefined, seen: Set<string>): Promise<void> {
    const { db, changed, hidden } = this.#deps;
    changed(await reconcileConnection(db, id, hidden));
    if (!lane?.transport.sentTo) return;
    const doubts = await findDoubts(db, id);
    for (const one of doubts) seen.add(keyOf(one));
    if (this.#asking.has(id)) return;
    this.#asking.add(id);
    const due = doubts.filter((one) => this.#isDue(one)).slice(0, ASKED_AT_ONCE);
    void this.#askAll(lane, due).finally(() => this.#asking.delete(id));
  }

  #isDue(one: SentUnknown): boolean {
    const { clock, times } = this.#deps;
    const known = this.#asked.get(keyOf(one));
    // Expired doubts get a few searches: perhaps none was possible before.
    if (known && !one.open && known.times >= times.search.length) return false;
    if (known) return clock.monotonic() >= known.next;
    this.#note(one, 0);
    return false;
  }

  #note(one: SentUnknown, nth: number): void {
    const { clock, times } = this.#deps;
    const pause = times.search[Math.min(nth, times.search.length - 1)] ?? 0;
    this.#asked.set(keyOf(one), { next: clock.monotonic() + pause, times: nth });
  }

  async #askAll(lane: Reconciled, people: readonly SentUnknown[]): Promise<void> {
    for (const one of people) if (lane.mayAct()) await this.#ask(lane, one);
  }

  async #ask({ connectionId, transport }: Reconciled, one: SentUnknown): Promise<void> {
    const { db, log } = this.#deps;
    this.#note(one, (this.#asked.get(keyOf(one))?.times ?? 0) + 1);
    const address = { jid: one.jid ?? one.phone ?? "", lid: one.lid };
    try {
      const found = await transport.sentTo?.(address, new Date(one.window?.from ?? 0));
      await recordOutgoing(db, connectionId, found ?? []);
    } catch (error) {
      log.info({ err: error, connectionId }, "the gateway could not be asked what it sent");
    }
  }

  #warn(error: unknown, connectionId?: number): void {
    this.#deps.log.warn({ err: error, connectionId }, "doubts of gateways were not looked after");
  }
}

const keyOf = ({ owner }: SentUnknown): string => Object.values(owner).join(" ");
