import { type Coalesced, coalesced } from "../../base/coalesced.ts";

/** How long the oldest unread event of each account has waited that was not tried yet, in seconds by the database's clock. */
export type OldestUnread = () => Promise<readonly { accountId: string; seconds: number }[]>;

export type UnreadWatchDeps = {
  oldest: OldestUnread;
  /** Whether there is anything to hold back: without lanes nothing is asked. */
  isNeeded(): boolean;
  /** The accounts that are behind may have changed. */
  changed(): void;
  failed(error: unknown): void;
};

/** Events wait for so long at most while campaigns of their account go on. */
const MOST_S = 3;
const LOOK_MS = 1_000;

/**
 * Knows the accounts whose events wait for too long to be read, in whichever process they are read: one statement a second for all. While
 * the database does not answer, the last answer stands; nothing can be claimed then.
 */
export class UnreadWatch {
  readonly #deps: UnreadWatchDeps;
  readonly #looks: Coalesced;
  readonly #timer: NodeJS.Timeout;
  #behind: ReadonlySet<string> = new Set();

  constructor(deps: UnreadWatchDeps) {
    this.#deps = deps;
    this.#looks = coalesced(() => this.#look());
    this.#timer = setInterval(() => this.#looks.ask(), LOOK_MS);
  }

  isBehind(accountId: string): boolean {
    return this.#behind.has(accountId);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looks.idle();
  }

  async #look(): Promise<void> {
    if (!this.#deps.isNeeded()) return;
    try {
      const late = (await this.#deps.oldest()).filter(({ seconds }) => seconds > MOST_S);
      this.#behind = new Set(late.map(({ accountId }) => accountId));
      this.#deps.changed();
    } catch (error) {
      this.#deps.failed(error);
    }
  }
}
