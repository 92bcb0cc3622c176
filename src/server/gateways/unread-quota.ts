import type { Logger } from "pino";

/** Above this, 503, so that no account fills the table. */
export const UNREAD_MOST = { events: 20_000, bytes: 256 * 1024 * 1024 };

/** Between recounts of an account; once a second while full. */
const COUNT_AFTER = { events: 1_000, bytes: 16 * 1024 * 1024 };
const AGAIN_MS = 1_000;

export type UnreadQuotaDeps = {
  /** The count may stop above `most` events. */
  unreadOf(accountId: string, most: number): Promise<{ events: number; bytes: number }>;
  monotonic(): number;
  log: Logger;
};

type Account = { events: number; bytes: number; isFull: boolean; counted: number; isCounting: boolean };

/** An account may exceed the quota between two counts. */
export class UnreadQuota {
  readonly #deps: UnreadQuotaDeps;
  readonly #accounts = new Map<string, Account>();

  constructor(deps: UnreadQuotaDeps) {
    this.#deps = deps;
  }

  isFull(accountId: string): boolean {
    const account = this.#accounts.get(accountId);
    if (!account?.isFull) return false;
    if (this.#deps.monotonic() - account.counted >= AGAIN_MS) this.#count(accountId, account);
    return true;
  }

  stored(accountId: string, bytes: number): void {
    const account = this.#accounts.get(accountId) ?? {
      events: 0,
      bytes: 0,
      isFull: false,
      counted: 0,
      isCounting: false,
    };
    this.#accounts.set(accountId, account);
    account.events += 1;
    account.bytes += bytes;
    if (account.events >= COUNT_AFTER.events || account.bytes >= COUNT_AFTER.bytes)
      this.#count(accountId, account);
  }

  #count(accountId: string, account: Account): void {
    if (account.isCounting) return;
    Object.assign(account, { isCounting: true, events: 0, bytes: 0, counted: this.#deps.monotonic() });
    this.#deps
      .unreadOf(accountId, UNREAD_MOST.events)
      .then(
        ({ events, bytes }) => this.#counted(accountId, account, { events, bytes }),
        (error: unknown) =>
          this.#deps.log.warn({ err: error, accountId }, "unread events could not be counted"),
      )
      .finally(() => {
        account.isCounting = false;
      });
  }

  #counted(accountId: string, account: Account, { events, bytes }: { events: number; bytes: number }): void {
    const isFull = events >= UNREAD_MOST.events || bytes >= UNREAD_MOST.bytes;
    if (isFull && !account.isFull)
      this.#deps.log.warn(
        { accountId, events, bytes },
        "an account has too many unread events: its webhooks wait",
      );
    account.isFull = isFull;
  }
}
