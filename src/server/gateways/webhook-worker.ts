import type { Logger } from "pino";
import type { Topic } from "../../contract/events.ts";
import { type Coalesced, coalesced } from "../base/coalesced.ts";
import type { Db } from "../db/client.ts";
import type { FairQueue, FairQueueOptions } from "../jobs/fair-queue.ts";
import { StoredWork } from "../jobs/stored-work.ts";
import { readWebhook } from "../transports/gateway/webhook-events.ts";
import { type EffectDeps, storeIfUnrecognized, takeIn } from "./webhook-effects.ts";
import {
  accountsWithEvents,
  noteArrivals,
  noteStamp,
  type StateToRead,
  takeEvents,
  takeStates,
} from "./webhook-repo.ts";

export type WorkerDeps = EffectDeps & {
  db: Db;
  log: Logger;
  turns: FairQueue;
  poke(tx: Db, connectionId: number): Promise<void>;
  mark(accountId: string, topic: Topic, id?: number): void;
  relay(): void;
  times?: WorkerTimes;
};

export type WorkerTimes = {
  /** For events other processes could not handle. */
  poll: number;
  /** A looping instance: sixty events a second become four. */
  states: number;
  arrivals: number;
  turn: number;
};

const WORKER_TIMES: WorkerTimes = { poll: 1_000, states: 250, arrivals: 5_000, turn: 250 };

/** Each turn holds one pool connection while its effects use others. */
export const EVENT_TURNS: FairQueueOptions = {
  name: "webhook_events",
  running: 3,
  runningOfAccount: 1,
  waitingOfAccount: 2,
};

/**
 * In every process, accounts in turns. Rows stay locked until their effects are done; after a crash another
 * process repeats them.
 */
export class WebhookWorker {
  readonly #deps: WorkerDeps;
  readonly #times: WorkerTimes;
  readonly #events: StoredWork;
  readonly #states: Coalesced;
  readonly #arrivals: ArrivalNotes;
  readonly #poll: NodeJS.Timeout;
  #statesAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? WORKER_TIMES;
    this.#arrivals = new ArrivalNotes(deps, this.#times.arrivals);
    const failed = (error: unknown) => this.#failed(error);
    this.#events = new StoredWork(deps.turns, {
      accounts: () => accountsWithEvents(deps.db),
      failed,
      work: (accountId) => this.#takeTurn(accountId),
    });
    this.#states = coalesced(() => this.#takeStates().catch(failed));
    this.#poll = setInterval(() => this.wake(), this.#times.poll);
    this.wake();
  }

  wake(accountIds?: ReadonlySet<string>): void {
    if (this.#stopped) return;
    this.#states.ask();
    if (!accountIds) this.#events.wake();
    else for (const accountId of accountIds) this.#events.wake(accountId);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#later);
    await Promise.all([this.#events.stop(), this.#states.idle()]);
  }

  async #takeTurn(accountId: string): Promise<boolean> {
    const { db, relay } = this.#deps;
    const end = performance.now() + this.#times.turn;
    const rows = await db.transaction().execute(async (tx) => {
      const held = await takeEvents(tx, accountId);
      return takeIn(this.#deps, tx, held, () => performance.now() < end);
    });
    this.#arrivals.note(rows);
    if (rows.some(({ relays }) => relays)) relay();
    return rows.length > 0;
  }

  async #takeStates(): Promise<void> {
    await this.#arrivals.write();
    const wait = this.#statesAt + this.#times.states - performance.now();
    if (wait > 0) {
      this.#later ??= setTimeout(() => this.#lookLater(), wait);
      return;
    }
    this.#statesAt = performance.now();
    const rows = await this.#deps.db.transaction().execute(async (tx) => {
      const taken = await takeStates(tx);
      for (const row of taken) if (await isNews(tx, row)) await this.#deps.poke(tx, row.connectionId);
      return taken;
    });
    this.#arrivals.note(rows);
  }

  #lookLater(): void {
    this.#later = undefined;
    if (!this.#stopped) this.#states.ask();
  }

  #failed(error: unknown): void {
    this.#deps.log.warn({ err: error }, "webhooks could not be taken in, trying again");
  }
}

async function isNews(tx: Db, row: StateToRead): Promise<boolean> {
  if (row.accountId === null) return false;
  const { content, stamp } = read(row);
  if (content.kind === "state") return noteStamp(tx, row.connectionId, "state", stamp);
  if (content.kind === "qr" || content.kind === "qr_limit")
    return noteStamp(tx, row.connectionId, "qr", stamp);
  await storeIfUnrecognized(tx, row, content);
  return false;
}

const read = ({ body, receivedAt }: StateToRead) => readWebhook(JSON.parse(body), receivedAt);

class ArrivalNotes {
  readonly #deps: Pick<WorkerDeps, "db" | "mark">;
  readonly #every: number;
  #noted = new Map<number, Date>();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<WorkerDeps, "db" | "mark">, every: number) {
    this.#deps = deps;
    this.#every = every;
  }

  note(rows: readonly StateToRead[]): void {
    for (const { connectionId, receivedAt } of rows) {
      const before = this.#noted.get(connectionId);
      if (!before || before < receivedAt) this.#noted.set(connectionId, receivedAt);
    }
  }

  async write(): Promise<void> {
    if (this.#noted.size === 0 || performance.now() - this.#writtenAt < this.#every) return;
    this.#writtenAt = performance.now();
    const noted = new Map(this.#noted);
    const known = await noteArrivals(this.#deps.db, noted);
    for (const [id, at] of noted) if (this.#noted.get(id) === at) this.#noted.delete(id);
    for (const { accountId, connectionId } of known) this.#deps.mark(accountId, "connections", connectionId);
  }
}
