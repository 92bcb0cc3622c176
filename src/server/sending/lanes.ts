import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Database } from "../db/client.ts";
import type { Listener } from "../db/listen.ts";
import type { LaneTransport, OpenTransport } from "../transports/transport.ts";
import { tickCampaigns } from "./campaign-clock.ts";
import type { LaneTimes } from "./deliver.ts";
import { type Lane, type Owed, runLane } from "./lane.ts";
import { laneHost } from "./lane-host.ts";
import { settle } from "./settle.ts";
import { LANE_CHANNEL } from "./signals.ts";
import {
  type Doubt,
  findFree,
  LEASE_S,
  type Renewed,
  releaseLane,
  renewLeases,
  type Taken,
  takeOver,
} from "./take-over.ts";

/** How often leases are renewed and free connections looked for. */
const TICK_MS = 1_000;
/** A lane stops acting this long before its lease ends, so that a stopped process that wakes up cannot send beside its successor. */
const SAFETY_MS = 2_000;

export type LanesDeps = {
  database: Database;
  openDevice: OpenTransport;
  clock: Clock;
  random: () => number;
  log: Logger;
  times: LaneTimes;
  messageKey: Buffer;
  resend: "same-id" | "never";
  /** Screens out of date: campaigns or connections of an account. */
  mark(accountId: string, topic: "campaigns" | "connections", id?: number): void;
};

export type Lanes = {
  /** Connections whose lane this process owns, and how many of them can send now. */
  count(): { owned: number; connected: number };
  /** Stops claiming, lets what is on the wire finish for up to `ms`, ends the sockets and gives the connections up. */
  close(ms: number): Promise<void>;
};

type Held = { taken: Taken; transport: LaneTransport; lane: Lane; desired: string };

/**
 * Owns as many connections as it may and runs a lane for each: renews leases every second, takes free ones, starts campaigns that are
 * due. Whatever goes wrong in a lane has one cure: it is closed, and taken over anew under a higher fence.
 */
export async function openLanes(deps: LanesDeps): Promise<Lanes> {
  const { database, clock, log } = deps;
  const { db } = database;
  const owner = randomUUID();
  const held = new Map<number, Held>();
  const opening = new Set<number>();
  const owed = new Map<number, Owed[]>();
  let renewedAt = clock.monotonic();
  let closing = false;
  let again = false;
  let ticking: Promise<void> | null = null;
  const doubt: Doubt = deps.resend === "never" ? "uncertain" : "resend";

  const mayAct = () => clock.monotonic() - renewedAt < LEASE_S * 1000 - SAFETY_MS;

  const listener: Listener = await database.listen(LANE_CHANNEL, onMessage, () => {
    for (const one of held.values()) one.lane.wake();
    tick();
  });
  const timer = setInterval(tick, TICK_MS);
  tick();

  function onMessage(payload: string): void {
    const id = payload.startsWith("lane:") ? Number(payload.slice(5)) : null;
    if (id !== null) held.get(id)?.lane.wake();
    tick();
  }

  function tick(): void {
    if (closing) return;
    if (ticking) {
      again = true;
      return;
    }
    ticking = turnRound().finally(() => {
      ticking = null;
      if (again) {
        again = false;
        tick();
      }
    });
  }

  async function turnRound(): Promise<void> {
    try {
      const asked = clock.monotonic();
      const renewed = await renewLeases(db, owner);
      renewedAt = asked;
      await follow(renewed);
      for (const id of await findFree(db, await fairShare())) await open(id);
      await tickCampaigns(database, ({ accountId, campaignId }) =>
        deps.mark(accountId, "campaigns", campaignId),
      );
    } catch (error) {
      log.warn({ err: error }, "lanes: the database does not answer; nothing is sent meanwhile");
    }
  }

  async function follow(renewed: readonly Renewed[]): Promise<void> {
    const known = new Map(renewed.map((one) => [one.connectionId, one]));
    for (const [id, one] of held) {
      const now = known.get(id);
      if (!now || now.fence !== one.taken.fence) await drop(id, false);
      else await obey(id, one, now);
    }
  }

  /** Brings about what people want of a connection. */
  async function obey(id: number, one: Held, now: Renewed): Promise<void> {
    if (now.pairingCodeWanted) {
      await sql`update connection set pairing_code_wanted = false where id = ${id}`.execute(db);
      void one.transport
        .requestPairingCode()
        .catch((error) => log.warn({ err: error, connectionId: id }, "no pairing code"));
    }
    if (now.desired === "connected") {
      one.desired = now.desired;
      // Asked each time: a device at rest (codes expired, logged out) looks whether a person wants it anew, any other does nothing.
      return void one.transport.connect().catch((error) => fault(id, error));
    }
    if (now.desired === one.desired) return;
    one.desired = now.desired;
    owed.set(id, await one.lane.close(10_000));
    await one.transport.logout().catch((error) => fault(id, error));
    if (now.desired === "removed") await remove(one.taken);
    await drop(id, true);
  }

  async function remove(taken: Taken): Promise<void> {
    await sql`delete from connection where id = ${taken.connectionId} and fence = ${taken.fence} and desired = 'removed'`.execute(
      db,
    );
    deps.mark(taken.accountId, "connections", taken.connectionId);
  }

  function fault(connectionId: number, error: unknown): void {
    log.warn({ err: error, connectionId }, "connection fault");
  }

  /** With n processes each takes about an n-th, and the rest when nobody else does. */
  async function fairShare(): Promise<number> {
    const { rows } = await sql<{ total: number; owners: number }>`select
        count(*) filter (where desired <> 'disconnected' or state <> 'disconnected')::int as total,
        count(distinct owner) filter (where lease_until > now() and owner <> ${owner}::uuid)::int as owners
      from connection`.execute(db);
    const { total, owners } = rows[0] ?? { total: 0, owners: 0 };
    return Math.max(0, Math.ceil(total / (owners + 1)) - held.size);
  }

  async function open(id: number): Promise<void> {
    if (closing || opening.has(id)) return;
    opening.add(id);
    try {
      await drop(id, false);
      const taken = await takeOver(db, id, owner, doubt);
      if (!taken) return;
      await settleOwed(id);
      await start(taken);
    } finally {
      opening.delete(id);
    }
  }

  /** What a lane knew when it ended and could not write: told before the new one looks for people in doubt. */
  async function settleOwed(id: number): Promise<void> {
    for (const { campaignId, moves } of owed.get(id) ?? []) {
      await db.transaction().execute((tx) => settle(tx, campaignId, moves));
    }
    owed.delete(id);
  }

  async function start(taken: Taken): Promise<void> {
    const { connectionId, accountId, fence } = taken;
    const lost = () => void drop(connectionId, false).catch((error) => fault(connectionId, error));
    const host = laneHost({ ...deps, db, taken, mayAct, lost });
    const transport = await deps.openDevice(host);
    const lane = runLane({
      ...{ connectionId, fence, db, transport, clock, log, mayAct },
      after: callAfter,
      prepared: database.prepared,
      random: deps.random,
      times: deps.times,
      messageKey: deps.messageKey,
      resendsDoubts: deps.resend === "same-id",
      changed: (account, campaignId) => deps.mark(account, "campaigns", campaignId),
      ended: lost,
    });
    const one = { taken, transport, lane, desired: "" };
    held.set(connectionId, one);
    await obey(connectionId, one, { connectionId, fence, desired: taken.desired, pairingCodeWanted: false });
    deps.mark(accountId, "connections", connectionId);
  }

  /** Ends a lane. `release`: it is given up for good, so that nobody waits for its lease to end. */
  async function drop(id: number, release: boolean): Promise<void> {
    const one = held.get(id);
    if (!one) return;
    held.delete(id);
    const left = await one.lane.close(closing ? closeMs : 1_000);
    if (left.length > 0) owed.set(id, [...(owed.get(id) ?? []), ...left]);
    await settleOwed(id).catch((error) => fault(id, error));
    await one.transport.close().catch((error) => fault(id, error));
    // The next tick takes it over anew: only a free connection or our own can be taken, so this is how a lane recovers.
    await releaseLane(db, id, owner).catch((error) => fault(id, error));
    if (!release && !closing) again = true;
  }

  let closeMs = 0;
  return {
    count: () => ({
      owned: held.size,
      connected: [...held.values()].filter((one) => one.transport.ready()).length,
    }),
    async close(ms) {
      closing = true;
      closeMs = ms;
      clearInterval(timer);
      await ticking;
      await Promise.all([...held.keys()].map((id) => drop(id, true)));
      await listener.close();
    },
  };
}

function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
