import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import type { JobsRole } from "../jobs/role.ts";
import {
  type AnswerJob,
  accountsWithJobs,
  deleteJob,
  giveJobBack,
  insertJob,
  keepJobs,
  type TakenJob,
  takeJob,
} from "./answer-jobs-repo.ts";
import type { SlowAccounts } from "./slow-accounts.ts";

export type AnswerQueueDeps = {
  db: Db;
  clock: Pick<Clock, "monotonic">;
  log: Logger;
  role: JobsRole;
  queues: FairQueues;
  slow: SlowAccounts;
  /** Milliseconds between polls for other processes' jobs. */
  pollMs: number;
};

/** Concurrent answers per process, per account, and for all slow accounts. */
const RUNNING = 12;
const OF_ACCOUNT = 6;
const OF_SLOW = 6;
/** One queued task per account claims a job in its turn; other jobs stay in the database. */
const WAITING = 1;
/** A process without a heartbeat for this long counts as dead. */
const SILENCE_MS = 10_000;
const KEEP_MS = 3_000;
const TRIES_MOST = 6;
const RETRY_MS = 1_000;
/** Jobs are due by the database clock; adds the round trip. */
const LATE_MS = 30;
const SIGNAL = "job assistant";

/** `again`: a job may have been stored since the task began to claim. */
type Account = { running: number; looking: boolean; again: boolean };

/** Stored in the database, run by any worker, with fair turns for accounts. */
export class AnswerQueue {
  readonly #deps: AnswerQueueDeps;
  readonly #all: FairQueue;
  readonly #ofSlow: FairQueue;
  readonly #accounts = new Map<string, Account>();
  readonly #taken = new Set<number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #pieces = new Set<Promise<void>>();
  #run: ((job: AnswerJob) => Promise<void>) | null = null;
  #closed = false;

  constructor(deps: AnswerQueueDeps) {
    this.#deps = deps;
    const share = { runningOfAccount: OF_ACCOUNT, waitingOfAccount: WAITING };
    this.#all = deps.queues.open({ name: "answers", running: RUNNING, ...share });
    this.#ofSlow = deps.queues.open({ name: "slow_answers", running: OF_SLOW, ...share });
    deps.role.signals.hear(SIGNAL, () => this.#look());
  }

  async put(job: AnswerJob, delayMs: number): Promise<void> {
    await insertJob(this.#deps.db, job, delayMs);
    this.#wakeAfter(delayMs, job.accountId);
  }

  /** A job that throws or whose process dies is retried. */
  work(run: (job: AnswerJob) => Promise<void>): void {
    this.#run = run;
    this.#every(this.#deps.pollMs, () => this.#look());
    this.#every(KEEP_MS, () => void this.#keep());
    this.#look();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#keep();
    await Promise.all(this.#pieces);
  }

  #every(ms: number, act: () => void): void {
    const timer = setInterval(act, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  #wakeAfter(delayMs: number, accountId: string): void {
    const { works, signals } = this.#deps.role;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (works) this.#seek(accountId);
      else signals.tell(SIGNAL);
    }, delayMs + LATE_MS);
    timer.unref();
    this.#timers.add(timer);
  }

  #look(): void {
    accountsWithJobs(this.#deps.db).then(
      (accounts) => {
        for (const accountId of accounts) this.#seek(accountId);
      },
      (error: unknown) => this.#failed(error),
    );
  }

  #seek(accountId: string): void {
    if (this.#closed || !this.#run) return;
    const account = this.#accounts.get(accountId) ?? { running: 0, looking: false, again: false };
    this.#accounts.set(accountId, account);
    if (account.looking) account.again = true;
    if (account.looking || account.running >= OF_ACCOUNT) return;
    account.looking = true;
    account.running += 1;
    const piece: Promise<void> = this.#inTurn(accountId, () => this.#takeOne(accountId, account))
      .catch((error: unknown) => {
        account.looking = false;
        this.#failed(error);
        return false;
      })
      .then((more) => {
        account.running -= 1;
        this.#pieces.delete(piece);
        if (more) this.#seek(accountId);
        else if (account.running === 0 && !account.looking) this.#accounts.delete(accountId);
      });
    this.#pieces.add(piece);
  }

  #inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const all = () => this.#all.run(accountId, work);
    return this.#deps.slow.has(accountId) ? this.#ofSlow.run(accountId, all) : all();
  }

  async #takeOne(accountId: string, account: Account): Promise<boolean> {
    account.again = false;
    const job = this.#closed ? undefined : await takeJob(this.#deps.db, accountId, SILENCE_MS);
    account.looking = false;
    if (!job) return account.again;
    this.#seek(accountId);
    await this.#perform(job);
    return true;
  }

  async #perform(job: TakenJob): Promise<void> {
    const { db, clock, slow } = this.#deps;
    this.#taken.add(job.id);
    const since = clock.monotonic();
    try {
      await this.#run?.(job);
      await deleteJob(db, job.id);
    } catch (error) {
      await this.#tryAgain(job, error);
    } finally {
      this.#taken.delete(job.id);
      slow.note(job.accountId, since);
    }
  }

  async #tryAgain(job: TakenJob, error: unknown): Promise<void> {
    const { db, log } = this.#deps;
    if (job.tries >= TRIES_MOST) {
      log.error({ err: error, chatId: job.chatId }, "assistant's look given up");
      return deleteJob(db, job.id);
    }
    log.warn({ err: error, chatId: job.chatId }, "assistant's look failed, to be tried again");
    const delayMs = this.#closed ? 0 : RETRY_MS * 2 ** (job.tries - 1);
    await giveJobBack(db, job, delayMs);
    if (!this.#closed) this.#wakeAfter(delayMs, job.accountId);
  }

  async #keep(): Promise<void> {
    if (this.#taken.size === 0) return;
    await keepJobs(this.#deps.db, [...this.#taken], SILENCE_MS).catch((error: unknown) =>
      this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    if (!this.#closed) this.#deps.log.warn({ err: error }, "assistants' looks could not be taken");
  }
}
