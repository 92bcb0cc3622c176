import type { FairQueue } from "./fair-queue.ts";

export type StoredWorkSource = {
  accounts(): Promise<readonly string[]>;
  work(accountId: string): Promise<boolean>;
  failed(error: unknown): void;
};

/** One per process; several processes may run. */
export class StoredWork {
  readonly #queue: FairQueue;
  readonly #source: StoredWorkSource;
  /** Active accounts. `again`: more may have been stored since the statement read. */
  readonly #taken = new Map<string, { again: boolean; done: Promise<void> }>();
  #look: Promise<void> | null = null;
  #lookAgain = false;
  #stopped = false;

  constructor(queue: FairQueue, source: StoredWorkSource) {
    this.#queue = queue;
    this.#source = source;
  }

  /** Without an account all are checked. */
  wake(accountId?: string): void {
    if (this.#stopped) return;
    if (accountId !== undefined) this.#take(accountId);
    else if (this.#look) this.#lookAgain = true;
    else this.#look = this.#lookForWork();
  }

  async idle(): Promise<void> {
    while (this.#look || this.#taken.size > 0)
      await Promise.all([this.#look, ...[...this.#taken.values()].map(({ done }) => done)]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.idle();
  }

  async #lookForWork(): Promise<void> {
    try {
      for (const accountId of await this.#source.accounts()) this.#take(accountId);
    } catch (error) {
      this.#source.failed(error);
    } finally {
      this.#look = null;
      const again = this.#lookAgain;
      this.#lookAgain = false;
      if (again) this.wake();
    }
  }

  #take(accountId: string): void {
    const taken = this.#taken.get(accountId);
    if (taken) {
      taken.again = true;
      return;
    }
    if (this.#stopped) return;
    const entry = { again: false, done: Promise.resolve() };
    this.#taken.set(accountId, entry);
    entry.done = this.#perform(accountId, entry);
  }

  async #perform(accountId: string, entry: { again: boolean }): Promise<void> {
    let more = false;
    try {
      more = await this.#queue.run(accountId, async () => {
        entry.again = false;
        return !this.#stopped && (await this.#source.work(accountId));
      });
    } catch (error) {
      this.#source.failed(error);
    }
    this.#taken.delete(accountId);
    if (more || entry.again) this.#take(accountId);
  }
}
