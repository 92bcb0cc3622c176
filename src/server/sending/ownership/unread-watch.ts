import { type Coalesced, coalesced } from "../../base/coalesced.ts";

export type OldestUnread = () => Promise<readonly { accountId: string; seconds: number }[]>;

export type UnreadWatchDeps = {
  oldest: OldestUnread;
  isNeeded(): boolean;
  changed(): void;
  failed(error: unknown): void;
};

const MOST_S = 3;
const LOOK_MS = 1_000;

/**
 * Accounts with old unread events in any process: one query a second. During a database outage the last
 * answer stands; no claim is possible then.
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
