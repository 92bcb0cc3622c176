import { randomUUID } from "node:crypto";
import { type Coalesced, coalesced } from "../../base/coalesced.ts";
import type { Listener } from "../../db/listen.ts";
import { publishCampaign } from "../../db/live-updates.ts";
import type { FairQueues } from "../../jobs/fair-queue.ts";
import type { StoredWork } from "../../jobs/stored-work.ts";
import { CampaignClock } from "../campaigns/campaign-clock.ts";
import { type Reconciled, Reconciler } from "../doubts/reconciler.ts";
import { publishMoved } from "../ledger/mark-campaign.ts";
import { FREE, LANE_CHANNEL, UNREAD } from "../ledger/signals.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import { openReceiptInbox } from "../receipts/receipt-inbox.ts";
import { askTransport, type FetchFiles, type GroupNamed } from "./ask-transport.ts";
import { HeldLanes, type HeldLanesDeps } from "./held-lanes.ts";
import { LaneShare } from "./lane-share.ts";
import { type Leases, laneLeases } from "./leases.ts";
import type { HeldLane } from "./open-lane.ts";
import { type OldestUnread, UnreadWatch } from "./unread-watch.ts";
import { deleteWorker, type Worker } from "./workers.ts";

const TICK_MS = 1_000;

export type LanesDeps = HeldLanesDeps & {
  queues: FairQueues;
  groupNamed?: GroupNamed;
  fetchFiles?: FetchFiles;
  oldestUnread?: OldestUnread;
  dataFolder?: string;
};

export async function openLanes(deps: LanesDeps): Promise<Lanes> {
  const lanes = new Lanes(deps);
  await lanes.start();
  return lanes;
}

/**
 * Acquires connections up to its share and runs a lane for each; renews leases every second. After any lane
 * error it is closed and acquired again under a higher fence.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #owner = randomUUID();
  readonly #leases: Leases;
  readonly #held: HeldLanes;
  readonly #share: LaneShare;
  readonly #campaigns: CampaignClock;
  readonly #reconciler: Reconciler;
  readonly #inbox: StoredWork;
  readonly #rounds = coalesced(() => this.#round());
  readonly #doubts = coalesced(() => this.#reconciler.look(this.#gateways()));
  /** Runs alone: other work must not let a lease expire. */
  readonly #renewals: Coalesced = coalesced(() => this.#renew());
  readonly #timers: NodeJS.Timeout[] = [];
  #heartbeat: NodeJS.Timeout | undefined;
  #unread: UnreadWatch | undefined;
  #listener: Listener | undefined;
  #closing = false;

  constructor(deps: LanesDeps) {
    const { database, queues, clock, log, times, receipts: { hidden } = {} } = deps;
    const { db } = database;
    this.#deps = deps;
    const kinds = deps.open.instance ? ["device", "instance"] : ["device"];
    const worker: Worker = { id: this.#owner, kinds, dataFolder: deps.dataFolder ?? null };
    const changed = (list: readonly Changed[]) => this.#publish(list);
    this.#leases = laneLeases(db, worker, clock);
    this.#held = new HeldLanes(deps, this.#owner, this.#leases, {
      opened: (one) => this.#onOpened(one),
      dropped: () => this.#rounds.ask(),
      publish: changed,
    });
    this.#share = new LaneShare({
      db,
      clock,
      queues,
      worker,
      held: this.#held,
      failed: (error) => log.warn({ err: error }, "free connections were not opened"),
    });
    this.#campaigns = new CampaignClock({
      database,
      queues,
      changed: (one) => publishCampaign(deps, one, true),
      failed: (error) => log.warn({ err: error }, "campaigns that wait for their time were not looked after"),
    });
    this.#reconciler = new Reconciler({ db, clock, log, times, changed, hidden });
    const failed = (error: unknown) => log.warn({ err: error }, "receipts that wait were not looked at");
    this.#inbox = openReceiptInbox({ db, queues, times, changed, hidden, failed });
  }

  async start(): Promise<void> {
    const { database, times } = this.#deps;
    await deleteWorker(database.db, this.#owner);
    this.#listener = await database.listen(
      LANE_CHANNEL,
      (payload) => this.#onMessage(payload),
      () => this.#onListening(),
    );
    const look = () => {
      this.#inbox.wake();
      this.#doubts.ask();
    };
    this.#timers.push(
      setInterval(() => this.#tick(), TICK_MS),
      setInterval(look, times.look),
    );
    this.#heartbeat = setInterval(this.#renewals.ask, TICK_MS / 2);
    this.#unread = this.#watchUnread();
    this.#tick();
  }

  count(): { owned: number; connected: number } {
    const connected = [...this.#held.all()].filter(({ transport }) => transport.ready());
    return { owned: this.#held.size, connected: connected.length };
  }

  /**
   * Stops claiming, waits up to `ms` for messages in flight, then closes sockets and releases connections.
   */
  async close(ms: number): Promise<void> {
    const { db } = this.#deps.database;
    this.#closing = true;
    this.#held.stopOpening(ms);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#rounds.idle();
    await this.#share.close();
    await this.#unread?.close();
    this.#leases.leave();
    await this.#leases.renew().catch(() => undefined);
    const dropped = this.#held.dropAll();
    await Promise.all([this.#campaigns.stop(), this.#inbox.stop(), this.#doubts.idle(), dropped]);
    clearInterval(this.#heartbeat);
    await this.#renewals.idle();
    await deleteWorker(db, this.#owner).catch(() => undefined);
    await this.#listener?.close();
  }

  #watchUnread(): UnreadWatch {
    const { oldestUnread, log } = this.#deps;
    return new UnreadWatch({
      oldest: oldestUnread ?? (async () => []),
      isNeeded: () => this.#held.size > 0,
      changed: () => {
        for (const { taken, gate } of this.#held.all()) gate.behind(this.#isBehind(taken.accountId));
      },
      failed: (error) => log.debug({ err: error }, "how long events wait to be read is not known yet"),
    });
  }

  #onOpened({ taken, gate, transport }: HeldLane): void {
    gate.behind(this.#isBehind(taken.accountId));
    transport.onReady(() => this.#deps.fetchFiles?.(taken, transport));
  }

  #isBehind(accountId: string): boolean {
    return this.#unread?.isBehind(accountId) ?? false;
  }

  #tick(): void {
    if (this.#closing) return;
    this.#rounds.ask();
    this.#campaigns.look();
  }

  async #round(): Promise<void> {
    try {
      this.#held.follow(await this.#leases.renew());
      await this.#held.unrecorded.flushAll();
      await this.#share.look();
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        "lanes: the database does not answer; nothing is sent until it does",
      );
    }
  }

  async #renew(): Promise<void> {
    if (this.#deps.clock.monotonic() - this.#leases.renewedAt() < TICK_MS) return;
    await this.#leases.renew().catch(() => undefined);
  }

  #onListening(): void {
    for (const { lane, gate } of this.#held.all()) {
      lane.optOutsMissed();
      // During a database outage webhooks were refused as well.
      gate.closeAgain();
    }
    this.#tick();
  }

  #onMessage(payload: string): void {
    const id = Number(payload.split(":")[1]);
    const one = this.#held.find(id);
    const [, wanted, jid = ""] = /^(typing|group):\d+:(.+)$/.exec(payload) ?? [];
    if (payload.startsWith("poke:")) one?.transport.poke?.();
    else if (payload.startsWith("single:")) one?.lane.wakeForDirect();
    else if (wanted) this.#ask(id, wanted, jid);
    else if (payload.startsWith("files:")) {
      if (one) this.#deps.fetchFiles?.(one.taken, one.transport);
    } else if (payload.startsWith("left:")) this.#optOut(payload);
    else if (payload.startsWith(`${UNREAD}:`)) this.#checkAgain(payload.slice(UNREAD.length + 1));
    else if (payload.startsWith("lane:")) {
      this.#held.stopResting(id);
      one?.lane.wake();
    } else if (!this.#closing && payload !== FREE) this.#campaigns.look();
    // A looping instance notifies many times a second without changes here.
    if (!this.#closing && !/^(?:poke|single|group|files|unread):/.test(payload)) this.#rounds.ask();
  }

  #ask(connectionId: number, wanted: string, jid: string): void {
    const asked = askTransport(this.#held.find(connectionId), wanted, jid, this.#deps.groupNamed);
    asked.catch((error: unknown) => this.#held.logError(connectionId, error));
  }

  #optOut(payload: string): void {
    const [, account, phone = "", reason] = payload.split(":");
    const why = reason === "asked_to_leave" ? reason : "opted_out";
    for (const { taken, lane } of this.#held.all()) if (taken.accountId === account) lane.optOut(phone, why);
  }

  /** Gateway lanes check opt-outs before each write; a device's lane rechecks its claimed people. */
  #checkAgain(accountId: string): void {
    for (const { taken, lane } of this.#held.all())
      if (taken.accountId === accountId && taken.kind !== "instance") lane.optOutsMissed();
  }

  #gateways(): Reconciled[] {
    const own = [...this.#held.all()].filter(({ taken, ending }) => taken.kind === "instance" && !ending);
    return own.map(({ taken: { connectionId, fence }, transport }) => ({
      connectionId,
      transport,
      mayAct: () => this.#leases.mayAct(connectionId, fence),
    }));
  }

  #publish(changed: readonly Changed[]): void {
    publishMoved(this.#deps.database.db, this.#deps, changed).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "live updates not published"),
    );
  }
}
