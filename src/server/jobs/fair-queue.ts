import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";

export type FairQueueOptions = {
  name: string;
  running: number;
  runningOfAccount: number;
  /** One more throws `too_many_requests`. */
  waitingOfAccount: number;
};

export type FairQueueFigures = { name: string; running: number; waiting: number; oldestMs: number };

type Piece = { since: number; start(): void };
type Wait = { signal: AbortSignal | undefined; most: number };
type Account = { running: number; pieces: Piece[] };

/** A thousand tasks of one account delay another's first by one task only. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #accounts = new Map<string, Account>();
  #running = 0;

  constructor(options: FairQueueOptions, clock: Pick<Clock, "monotonic">) {
    this.#options = options;
    this.#clock = clock;
  }

  async run<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(accountId, work, { signal, most: this.#options.waitingOfAccount });
  }

  /** Like `run` without the limit, for work already started or otherwise lost. */
  async runUnrefused<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#run(accountId, work, { signal, most: Number.POSITIVE_INFINITY });
  }

  async #run<T>(accountId: string, work: () => Promise<T>, wait: Wait): Promise<T> {
    wait.signal?.throwIfAborted();
    await this.#turn(accountId, wait);
    try {
      return await work();
    } finally {
      this.#end(accountId);
    }
  }

  figures(): FairQueueFigures {
    const now = this.#clock.monotonic();
    const waiting = [...this.#accounts.values()].flatMap(({ pieces }) => pieces);
    const oldestMs = waiting.reduce((oldest, { since }) => Math.max(oldest, now - since), 0);
    return { name: this.#options.name, running: this.#running, waiting: waiting.length, oldestMs };
  }

  #turn(accountId: string, { signal, most }: Wait): Promise<void> {
    const account = this.#accounts.get(accountId) ?? { running: 0, pieces: [] };
    this.#accounts.set(accountId, account);
    if (account.pieces.length >= most && !this.#canStart(account)) throw new AppError("too_many_requests");
    return new Promise((resolve, reject) => {
      const leave = () => {
        account.pieces.splice(account.pieces.indexOf(piece), 1);
        this.#pruneIdle(accountId, account);
        reject(signal?.reason);
      };
      const piece: Piece = {
        since: this.#clock.monotonic(),
        start: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      account.pieces.push(piece);
      this.#startNext();
    });
  }

  #end(accountId: string): void {
    const account = this.#accounts.get(accountId);
    this.#running -= 1;
    if (account) {
      account.running -= 1;
      // Accounts that arrived during this task go first.
      this.#putLast(accountId, account);
      this.#pruneIdle(accountId, account);
    }
    this.#startNext();
  }

  #startNext(): void {
    for (const [accountId, account] of this.#accounts) {
      if (this.#running >= this.#options.running) return;
      if (!this.#canStart(account)) continue;
      const piece = account.pieces.shift();
      if (!piece) continue;
      account.running += 1;
      this.#running += 1;
      // A map iterates in insertion order: the account comes again, last.
      this.#putLast(accountId, account);
      piece.start();
    }
  }

  #canStart(account: Account): boolean {
    return this.#running < this.#options.running && account.running < this.#options.runningOfAccount;
  }

  #putLast(accountId: string, account: Account): void {
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  #pruneIdle(accountId: string, account: Account): void {
    if (account.running === 0 && account.pieces.length === 0) this.#accounts.delete(accountId);
  }
}

export class FairQueues {
  readonly #queues: FairQueue[] = [];
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  open(options: FairQueueOptions): FairQueue {
    const queue = new FairQueue(options, this.#clock);
    this.#queues.push(queue);
    return queue;
  }

  figures(): FairQueueFigures[] {
    return this.#queues.map((queue) => queue.figures());
  }
}
