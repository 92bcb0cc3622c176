import type { FairQueue } from "./fair-queue.ts";

export type StoredWorkSource = {
  /** The accounts that have work in the database now, the longest waiting first. */
  accounts(): Promise<readonly string[]>;
  /** Does one bounded piece of an account's work. True: the account may have more. */
  work(accountId: string): Promise<boolean>;
  /** A look, or a piece of work, failed. What was not committed is found by the next look. */
  failed(error: unknown): void;
};

/** Does the work that lies in the database, the accounts in turns of a `FairQueue`. A process runs one; many processes may. */
export class StoredWork {
  readonly #queue: FairQueue;
  readonly #source: StoredWorkSource;
  /** Accounts whose piece waits or runs. `again`: more was stored since its statement may have looked. */
  readonly #taken = new Map<string, { again: boolean; done: Promise<void> }>();
  #look: Promise<void> | null = null;
  #lookAgain = false;
  #stopped = false;

  /** `queue` must be for this source alone: what it runs for an account is one piece at a time. */
  constructor(queue: FairQueue, source: StoredWorkSource) {
    this.#queue = queue;
    this.#source = source;
  }

  /** Something was stored: of this account, or of one that has to be looked for. */
  wake(accountId?: string): void {
    if (this.#stopped) return;
    if (accountId !== undefined) this.#take(accountId);
    else if (this.#look) this.#lookAgain = true;
    else this.#look = this.#lookForWork();
  }

  /** Resolves when nothing is left to do of what was known. */
  async idle(): Promise<void> {
    while (this.#look || this.#taken.size > 0)
      await Promise.all([this.#look, ...[...this.#taken.values()].map(({ done }) => done)]);
  }

  /** What runs is finished, and nothing else begun. */
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
