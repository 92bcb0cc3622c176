import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import { AppError } from "../../../domain/errors.ts";
import { callAfter } from "../../base/clock.ts";
import { coalesced } from "../../base/coalesced.ts";
import type { Database } from "../../db/client.ts";
import { isDataError } from "../../db/errors.ts";
import type { Listener } from "../../db/listen.ts";
import type { FairQueues } from "../../jobs/fair-queue.ts";
import { StoredWork } from "../../jobs/stored-work.ts";
import type { IncomingMessage, LaneTransport, OpenTransport } from "../../transports/transport.ts";
import { CampaignClock } from "../campaigns/campaign-clock.ts";
import { openReconciler, type Reconciled } from "../doubts/reconciler.ts";
import { AcceptedIds } from "../lane/accepted-ids.ts";
import {
  BacklogGate,
  type EventsProcessedCheck,
  GATE_TIMES,
  type GateTimes,
  type OpenBacklog,
} from "../lane/backlog-gate.ts";
import type { SendingFigures } from "../lane/figures.ts";
import { Lane } from "../lane/lane.ts";
import type { UnrecordedOutcome } from "../lane/lane-deps.ts";
import { LaneConnection, type OtherReceipts } from "../lane/lane-host.ts";
import { ownPhoneOf } from "../lane/recipient-breaker.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { publishCampaign, publishMoved } from "../ledger/mark-campaign.ts";
import { settle } from "../ledger/settle.ts";
import { FREE, LANE_CHANNEL, UNREAD } from "../ledger/signals.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import { type Accepted, settleAccepted, storeAccepted } from "../receipts/provider-messages.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import { joinReceipts, openReceiptInbox } from "../receipts/receipt-inbox.ts";
import {
  accountsWithFree,
  acquireConnection,
  type Doubt,
  findFree,
  type Renewed,
  releaseLane,
  removeConnection,
  shortenLeases,
  takeCodeWish,
} from "./acquire.ts";
import { askTransport, type GroupNamed } from "./ask-transport.ts";
import { laneLeases } from "./leases.ts";
import { handOver } from "./rebalance.ts";
import { findSuspended } from "./suspension.ts";
import { type OldestUnread, UnreadWatch } from "./unread-watch.ts";
import { forgetWorker, type Share, sharesOf, type Worker } from "./workers.ts";

const TICK_MS = 1_000;
/** Time for messages in flight when a person ends a session or a lane failed. */
const ENDING_MS = 10_000;
const FAILED_MS = 1_000;
const OPENED_ACCOUNTS = 4;
const OPENED_AT_ONCE = 2;
/** Retry delay after failing to open or end, for example with unreadable credentials. */
const REST_MS = 30_000;

export type LanesDeps = {
  database: Database;
  queues: FairQueues;
  open: { device: OpenTransport; instance?: OpenTransport };
  messages(
    at: { accountId: string; connectionId: number },
    messages: readonly IncomingMessage[],
  ): Promise<void>;
  groupNamed?: GroupNamed;
  /** Ids unknown to sending belong to messages typed on the phone. */
  receipts?: OtherReceipts;
  figures?: SendingFigures | undefined;
  clock: Clock;
  random: () => number;
  log: Logger;
  times: LaneTimes;
  messageKey: Buffer;
  eventsProcessed?: EventsProcessedCheck;
  openBacklog?: OpenBacklog;
  gateTimes?: GateTimes;
  oldestUnread?: OldestUnread;
  resend: "same-id" | "never";
  /** Asks the database for a newer schema: then no connection is acquired. */
  outdated?: () => Promise<boolean>;
  dataFolder?: string;
  mark(accountId: string, topic: "campaigns" | "connections", id?: number): void;
};

export type Lanes = {
  count(): { owned: number; connected: number };
  /**
   * Stops claiming, waits up to `ms` for messages in flight, then closes sockets and releases connections.
   */
  close(ms: number): Promise<void>;
};

type Held = {
  taken: AcquiredConnection;
  transport: LaneTransport;
  lane: Lane;
  gate: BacklogGate;
  desired: string;
  ending: boolean;
};

/**
 * Acquires connections up to its share and runs a lane for each; renews leases every second. After any lane
 * error it is closed and acquired again under a higher fence.
 */
export async function openLanes(deps: LanesDeps): Promise<Lanes> {
  const { database, clock, log, receipts: { hidden } = {} } = deps;
  const { db } = database;
  const owner = randomUUID();
  const kinds = deps.open.instance ? ["device", "instance"] : ["device"];
  const worker: Worker = { id: owner, kinds, dataFolder: deps.dataFolder ?? null };
  await forgetWorker(db, owner);
  const leases = laneLeases(db, worker, clock);
  const held = new Map<number, Held>();
  const opening = new Map<number, string>();
  const dropping = new Map<number, Promise<void>>();
  const owed = new Map<number, UnrecordedOutcome[]>();
  const resting = new Map<number, number>();
  let closing = false;
  let closeMs = 0;
  const doubt: Doubt = deps.resend === "never" ? "uncertain" : "resend";
  const moves = handOver(clock, giveUp);
  let shares: ReadonlyMap<string, Share> = new Map();
  const openings = new StoredWork(
    deps.queues.open({
      name: "lane_openings",
      running: OPENED_ACCOUNTS,
      runningOfAccount: 1,
      waitingOfAccount: 1,
    }),
    {
      accounts: () =>
        accountsWithFree(
          db,
          kinds.filter((kind) => roomOf(kind) > 0),
          notNow(),
        ),
      work: openSome,
      failed: (error) => log.warn({ err: error }, "free connections were not opened"),
    },
  );

  const rounds = coalesced(round);
  const campaigns = new CampaignClock({
    ...{ database, queues: deps.queues },
    changed: (one) => publishCampaign(deps, one, true),
    failed: (error) => log.warn({ err: error }, "campaigns that wait for their time were not looked after"),
  });
  const reconciler = openReconciler({
    db,
    clock,
    log,
    times: deps.times,
    changed: publishEverything,
    hidden,
  });
  const inbox = openReceiptInbox({
    ...{ db, queues: deps.queues, times: deps.times, changed: publishEverything, hidden },
    failed: (error) => log.warn({ err: error }, "receipts that wait were not looked at"),
  });
  const doubts = coalesced(() => reconciler.look(instances()));
  // Runs alone: other work must not let a lease expire.
  const renewals = coalesced(async () => {
    if (clock.monotonic() - leases.renewedAt() >= TICK_MS) await leases.renew().catch(() => undefined);
  });
  const listener: Listener = await database.listen(LANE_CHANNEL, onMessage, () => {
    for (const one of held.values()) {
      one.lane.optOutsMissed();
      // During a database outage webhooks were refused as well.
      one.gate.closeAgain();
    }
    tick();
  });
  const timer = setInterval(tick, TICK_MS);
  const heartbeat = setInterval(renewals.ask, TICK_MS / 2);
  const looks = setInterval(() => {
    inbox.wake();
    doubts.ask();
  }, deps.times.look);
  const unread = new UnreadWatch({
    oldest: deps.oldestUnread ?? (async () => []),
    isNeeded: () => held.size > 0,
    changed: () => {
      for (const { taken, gate } of held.values()) gate.behind(unread.isBehind(taken.accountId));
    },
    failed: (error) => log.debug({ err: error }, "how long events wait to be read is not known yet"),
  });
  tick();

  function tick(): void {
    if (closing) return;
    rounds.ask();
    campaigns.look();
  }

  function onMessage(payload: string): void {
    const id = Number(payload.split(":")[1]);
    const one = held.get(id);
    const [, wanted, jid = ""] = /^(typing|group):\d+:(.+)$/.exec(payload) ?? [];
    if (payload.startsWith("poke:")) one?.transport.poke?.();
    else if (payload.startsWith("single:")) one?.lane.wakeForDirect();
    else if (wanted) void askTransport(one, wanted, jid, deps.groupNamed).catch((error) => fault(id, error));
    else if (payload.startsWith("left:")) leave(payload);
    else if (payload.startsWith(`${UNREAD}:`)) askAgain(payload.slice(UNREAD.length + 1));
    else if (payload.startsWith("lane:")) {
      resting.delete(id);
      one?.lane.wake();
    } else if (!closing && payload !== FREE) campaigns.look();
    // A looping instance notifies many times a second without changes here.
    if (!closing && !/^(?:poke|single|group|unread):/.test(payload)) rounds.ask();
  }

  function leave(payload: string): void {
    const [, account, phone = "", reason] = payload.split(":");
    const why = reason === "asked_to_leave" ? reason : "opted_out";
    for (const { taken, lane } of held.values()) if (taken.accountId === account) lane.optOut(phone, why);
  }

  /** Gateway lanes check opt-outs before each write; a device's lane rechecks its claimed people. */
  function askAgain(accountId: string): void {
    for (const { taken, lane } of held.values())
      if (taken.accountId === accountId && taken.kind !== "instance") lane.optOutsMissed();
  }

  async function round(): Promise<void> {
    try {
      follow(await leases.renew());
      for (const id of owed.keys()) await flushUnrecorded(id);
      await giveUpSuspended();
      await takeShare();
    } catch (error) {
      log.warn({ err: error }, "lanes: the database does not answer; nothing is sent until it does");
    }
  }

  async function takeShare(): Promise<void> {
    await shortenLeases(db);
    shares = await sharesOf(db, worker);
    openings.wake();
    for (const [kind, { excess }] of shares) {
      const movable = [...held].filter(([, one]) => one.taken.kind === kind && mayMove(one));
      moves.give(
        kind,
        excess,
        movable.map(([id]) => id),
      );
    }
  }

  async function giveUpSuspended(): Promise<void> {
    const suspended = await findSuspended(db);
    for (const [id, { taken, ending }] of held)
      if (!ending && suspended.has(taken.accountId)) void giveUp(id, "its account is suspended");
  }

  function roomOf(kind: string): number {
    const mine = [...held.values()].filter(({ taken }) => taken.kind === kind).length;
    const coming = [...opening.values()].filter((one) => one === kind).length;
    return Math.max(0, (shares.get(kind)?.most ?? 0) - mine - coming);
  }

  async function openSome(accountId: string): Promise<boolean> {
    const opened: Promise<boolean>[] = [];
    const tryOpen = (id: number, kind: string) =>
      open(id, kind).catch((error: unknown) => {
        fault(id, error);
        // It would fail at every look and block its account's other connections.
        if (isDataError(error)) resting.set(id, clock.monotonic() + REST_MS);
        return false;
      });
    for (const kind of kinds) {
      const limit = Math.min(roomOf(kind), OPENED_AT_ONCE);
      if (limit === 0) continue;
      for (const id of await findFree(db, kind, limit, notNow(), accountId))
        if (roomOf(kind) > 0) opened.push(tryOpen(id, kind));
    }
    return (await Promise.all(opened)).includes(true);
  }

  /** A device being linked stays: its code belongs to this session. */
  const mayMove = ({ taken, transport, ending }: Held) =>
    !ending && (taken.kind === "instance" || transport.pairing() !== null);

  async function giveUp(id: number, reason = "a process has too few"): Promise<void> {
    const one = held.get(id);
    if (!one) return;
    one.ending = true;
    log.info({ connectionId: id, reason }, "lane given up");
    remember(id, await one.lane.close(ENDING_MS));
    await drop(id);
  }

  function instances(): Reconciled[] {
    const own = [...held].filter(([, { taken, ending }]) => taken.kind === "instance" && !ending);
    return own.map(([connectionId, { taken, transport }]) => ({
      ...{ connectionId, transport },
      mayAct: () => leases.mayAct(connectionId, taken.fence),
    }));
  }

  function notNow(): number[] {
    for (const [id, until] of resting) if (until <= clock.monotonic()) resting.delete(id);
    return [...resting.keys(), ...moves.leftToOthers(), ...opening.keys(), ...dropping.keys()];
  }

  function follow(renewed: readonly Renewed[]): void {
    const known = new Map(renewed.map((one) => [one.connectionId, one]));
    for (const [id, one] of held) if (known.get(id)?.fence !== one.taken.fence) void drop(id);
    for (const [id, now] of known) {
      const one = held.get(id);
      if (one) void obey(id, one, now).catch((error) => fault(id, error));
      // The release failed: without a retry its lease is renewed for ever and no process can acquire it.
      else if (!opening.has(id) && !dropping.has(id)) dropping.set(id, letGo(now));
    }
  }

  /** Unrecorded outcomes first: the release makes claimed people doubts. */
  async function letGo(lane: Pick<AcquiredConnection, "connectionId" | "fence">): Promise<void> {
    const { connectionId } = lane;
    await flushUnrecorded(connectionId).catch((error) => fault(connectionId, error));
    await releaseLane(db, lane, owner, doubt, deps.times.reconcile).catch((error) =>
      fault(connectionId, error),
    );
    leases.forget(connectionId);
    dropping.delete(connectionId);
  }

  async function obey(id: number, one: Held, now: Renewed): Promise<void> {
    if (one.ending) return;
    if (now.pairingCodeWanted && (await takeCodeWish(db, id)))
      void one.transport
        .requestPairingCode()
        .catch((error) => log.warn({ err: error, connectionId: id }, "no pairing code"));
    // Repeated each time: only a stopped device (codes expired, logged out) acts on it.
    if (now.desired === "connected") return one.transport.connect();
    if (now.desired === one.desired) return;
    one.ending = true;
    remember(id, await one.lane.close(ENDING_MS));
    const { logout, remove = logout } = one.transport;
    await (now.desired === "removed" ? remove() : logout()).catch((error) => {
      fault(id, error);
      resting.set(id, clock.monotonic() + REST_MS);
    });
    if (now.desired === "removed") {
      await removeConnection(db, one.taken).catch((error) => fault(id, error));
      deps.mark(one.taken.accountId, "connections", id);
      deps.mark(one.taken.accountId, "campaigns");
    }
    await drop(id);
  }

  function fault(connectionId: number, error: unknown): void {
    const details = error instanceof AppError ? { details: error.details } : {};
    log.warn({ err: error, ...details, connectionId }, "connection fault");
  }

  async function open(id: number, kind: string): Promise<boolean> {
    if (closing || opening.has(id)) return false;
    opening.set(id, kind);
    try {
      // A process frozen during a schema change must not acquire a lane.
      if (await deps.outdated?.()) return false;
      await drop(id);
      const renewedAt = leases.renewedAt();
      const taken = await acquireConnection(db, id, owner, doubt, deps.times.reconcile);
      if (!taken) return false;
      leases.taken(id, taken.fence, renewedAt);
      await flushUnrecorded(id);
      await start(taken).catch(async (error: unknown) => {
        log.error({ err: error, connectionId: id }, "connection not opened");
        resting.set(id, clock.monotonic() + REST_MS);
        await letGo(taken);
      });
      return true;
    } finally {
      opening.delete(id);
    }
  }

  async function start(taken: AcquiredConnection): Promise<void> {
    const { connectionId, accountId, fence } = taken;
    const isOwn = () => held.get(connectionId)?.taken.fence === fence;
    const lane = () => (isOwn() ? held.get(connectionId)?.lane : undefined);
    const lost = () => void (isOwn() && drop(connectionId));
    const mayAct = () => leases.mayAct(connectionId, fence);
    const host = new LaneConnection({ ...deps, db, taken, mayAct, lost });
    const open = taken.kind === "instance" ? deps.open.instance : deps.open.device;
    if (!open) throw new Error(`nothing opens connections of kind ${taken.kind}`);
    const transport = await open(host);
    const accepted =
      taken.kind === "instance" ? new AcceptedIds((list) => keepAccepted(connectionId, list)) : undefined;
    const gate = new BacklogGate({
      ...{ accountId, connectionId, clock, log, lane, transport, eventsProcessed: deps.eventsProcessed },
      openBacklog: taken.kind === "instance" ? deps.openBacklog : undefined,
      wait: (ms) => pause(ms, null, { ref: false }),
      times: deps.gateTimes ?? GATE_TIMES,
    });
    const begun = new Lane({
      ...{ connectionId, fence, db, clock, log, mayAct, accepted, hidden },
      figures: deps.figures && { kind: taken.kind, attempted: deps.figures.attempted },
      book: taken.kind === "instance" ? accountId : null,
      ownPhone: () => ownPhoneOf(taken, transport.pairing()),
      transport,
      doubtsSettled: () => host.storedPairing() === transport.pairing(),
      after: callAfter,
      prepared: database.prepared,
      ...{ random: deps.random, times: deps.times, messageKey: deps.messageKey },
      optOutsKnown: () => gate.isOpen(),
      resendsDoubts: deps.resend === "same-id",
      changed: (accountId, campaignId, over) => publishCampaign(deps, { accountId, campaignId }, over),
      ended: lost,
    });
    const one: Held = { taken, transport, lane: begun, gate, desired: "", ending: false };
    held.set(connectionId, one);
    gate.behind(unread.isBehind(accountId));
    const now = { connectionId, fence, desired: taken.desired, pairingCodeWanted: false };
    void obey(connectionId, one, now).catch((error) => fault(connectionId, error));
    deps.mark(accountId, "connections", connectionId);
  }

  async function keepAccepted(connectionId: number, list: readonly Accepted[]): Promise<void> {
    const heard = await storeAccepted(database.prepared, connectionId, list);
    if (heard.length > 0)
      joinReceipts(db, connectionId, heard, hidden).then(publishEverything, (error) =>
        fault(connectionId, error),
      );
  }

  function publishEverything(changed: readonly Changed[]): void {
    publishMoved(db, deps, changed).catch((error: unknown) =>
      log.warn({ err: error }, "live updates not published"),
    );
  }

  function remember(id: number, left: UnrecordedOutcome[]): void {
    if (left.length > 0) owed.set(id, [...(owed.get(id) ?? []), ...left]);
  }

  async function flushUnrecorded(id: number): Promise<void> {
    const left = owed.get(id) ?? [];
    owed.delete(id);
    for (let one = left.shift(); one; one = left.shift()) {
      try {
        await settleOne(id, one);
      } catch (error) {
        // Otherwise this process could never acquire the lane again; its people are in doubt and searched
        // for.
        if (isDataError(error)) {
          log.error({ err: error, connectionId: id }, "what a lane owed cannot be recorded");
          continue;
        }
        remember(id, [one, ...left]);
        throw error;
      }
    }
  }

  async function settleOne(id: number, one: UnrecordedOutcome): Promise<void> {
    if ("accepted" in one) return settleAccepted(database, id, one.accepted);
    const { campaignId, moves, options } = one;
    await db.transaction().execute((tx) => settle(tx, campaignId, moves, options));
  }

  /** Closes a lane and releases its connection; a wanted one is acquired again. Never rejects. */
  function drop(id: number): Promise<void> {
    const one = held.get(id);
    if (!one) return dropping.get(id) ?? Promise.resolve();
    held.delete(id);
    const done = end(id, one).finally(() => {
      dropping.delete(id);
      if (!closing) rounds.ask();
    });
    dropping.set(id, done);
    return done;
  }

  async function end(id: number, { lane, gate, transport, taken }: Held): Promise<void> {
    gate.end();
    const attempt = (work: Promise<void>) => work.catch((error) => fault(id, error));
    remember(id, await lane.close(closing ? closeMs : FAILED_MS));
    await attempt(flushUnrecorded(id));
    await attempt(transport.close());
    remember(id, await lane.close(0));
    await letGo(taken);
  }

  return {
    count: () => ({
      owned: held.size,
      connected: [...held.values()].filter((one) => one.transport.ready()).length,
    }),
    async close(ms) {
      closing = true;
      closeMs = ms;
      clearInterval(timer);
      clearInterval(looks);
      await rounds.idle();
      await openings.stop();
      await unread.close();
      leases.leave();
      await leases.renew().catch(() => undefined);
      for (const id of held.keys()) void drop(id);
      await Promise.all([campaigns.stop(), inbox.stop(), doubts.idle(), ...dropping.values()]);
      clearInterval(heartbeat);
      await renewals.idle();
      await forgetWorker(db, owner).catch(() => undefined);
      await listener.close();
    },
  };
}
