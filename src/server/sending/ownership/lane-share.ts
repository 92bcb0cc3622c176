import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import { isDataError } from "../../db/errors.ts";
import type { FairQueues } from "../../jobs/fair-queue.ts";
import { StoredWork } from "../../jobs/stored-work.ts";
import { accountsWithFree, findFree, shortenLeases } from "./acquire.ts";
import type { HeldLanes } from "./held-lanes.ts";
import type { HeldLane } from "./open-lane.ts";
import { handOver } from "./rebalance.ts";
import { findSuspended } from "./suspension.ts";
import { type Share, sharesOf, type Worker } from "./workers.ts";

const OPENED_ACCOUNTS = 4;
const OPENED_AT_ONCE = 2;

type ShareDeps = {
  db: Db;
  clock: Clock;
  queues: FairQueues;
  worker: Worker;
  held: HeldLanes;
  failed(error: unknown): void;
};

/** Which connections this process owns: opens free ones up to its share, gives up what is too much. */
export class LaneShare {
  readonly #deps: ShareDeps;
  readonly #openings: StoredWork;
  readonly #moves: ReturnType<typeof handOver>;
  #shares: ReadonlyMap<string, Share> = new Map();

  constructor(deps: ShareDeps) {
    this.#deps = deps;
    this.#moves = handOver(deps.clock, (id) => deps.held.giveUp(id, "a process has too few"));
    const queue = deps.queues.open({
      name: "lane_openings",
      running: OPENED_ACCOUNTS,
      runningOfAccount: 1,
      waitingOfAccount: 1,
    });
    this.#openings = new StoredWork(queue, {
      accounts: () => this.#accounts(),
      work: (accountId) => this.#openSome(accountId),
      failed: deps.failed,
    });
  }

  async look(): Promise<void> {
    await this.#giveUpSuspended();
    await shortenLeases(this.#deps.db);
    this.#shares = await sharesOf(this.#deps.db, this.#deps.worker);
    this.#openings.wake();
    for (const [kind, { excess }] of this.#shares) this.#moves.give(kind, excess, this.#movable(kind));
  }

  async close(): Promise<void> {
    await this.#openings.stop();
  }

  #movable(kind: string): number[] {
    const movable = [...this.#deps.held.all()].filter((one) => one.taken.kind === kind && mayMove(one));
    return movable.map(({ taken }) => taken.connectionId);
  }

  async #giveUpSuspended(): Promise<void> {
    const { db, held } = this.#deps;
    const suspended = await findSuspended(db);
    for (const { taken, ending } of held.all())
      if (!ending && suspended.has(taken.accountId))
        void held.giveUp(taken.connectionId, "its account is suspended");
  }

  #roomOf(kind: string): number {
    return Math.max(0, (this.#shares.get(kind)?.most ?? 0) - this.#deps.held.countOf(kind));
  }

  #accounts(): Promise<string[]> {
    const { db, worker } = this.#deps;
    const kinds = worker.kinds.filter((kind) => this.#roomOf(kind) > 0);
    return accountsWithFree(db, kinds, this.#unavailable());
  }

  async #openSome(accountId: string): Promise<boolean> {
    const opened: Promise<boolean>[] = [];
    for (const kind of this.#deps.worker.kinds) {
      const limit = Math.min(this.#roomOf(kind), OPENED_AT_ONCE);
      if (limit === 0) continue;
      for (const id of await findFree(this.#deps.db, kind, limit, this.#unavailable(), accountId))
        if (this.#roomOf(kind) > 0) opened.push(this.#tryOpen(id, kind));
    }
    return (await Promise.all(opened)).includes(true);
  }

  #tryOpen(id: number, kind: string): Promise<boolean> {
    const { held } = this.#deps;
    return held.open(id, kind).catch((error: unknown) => {
      held.logError(id, error);
      // It would fail at every look and block its account's other connections.
      if (isDataError(error)) held.rest(id);
      return false;
    });
  }

  #unavailable(): number[] {
    return [...this.#deps.held.unavailable(), ...this.#moves.leftToOthers()];
  }
}

/** A device being linked stays: its code belongs to this session. */
const mayMove = ({ taken, transport, ending }: HeldLane) =>
  !ending && (taken.kind === "instance" || transport.pairing() !== null);
