import type { Logger } from "pino";
import { browserName } from "../../domain/browser-name.ts";
import { recordFailedSignIn, recordSignIn } from "../audit/service.ts";
import type { Db } from "../db/client.ts";
import { ownerOf } from "../db/owner.ts";
import type { AccountEmails } from "./emails.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { AccountRow } from "./repo.ts";

/** Daily wrong passwords from unknown browsers before the owner is notified. */
const WRONG_PASSWORDS = 20;

export type Visitor = { address: string; headers: Headers };

export type BrowserWatch = {
  browsers: KnownBrowsers;
  emails: Pick<AccountEmails, "newBrowser" | "signUpAsked" | "wrongPasswords">;
};

type NoticeDeps = { db: Db; log: Logger; watch: BrowserWatch | undefined };

export class SignInNotices {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #watch: BrowserWatch | undefined;

  constructor({ db, log, watch }: NoticeDeps) {
    this.#db = db;
    this.#log = log;
    this.#watch = watch;
  }

  async signedIn(accountId: string, kind: "signed_in" | "account_created"): Promise<void> {
    await recordSignIn(ownerOf(this.#db, accountId), kind).catch(this.#warn("sign-in not noted", { kind }));
  }

  /** Not awaited: the time would reveal the account. */
  failed(email: string): void {
    recordFailedSignIn(this.#db, email).catch(this.#warn("failed sign-in not noted"));
  }

  /** Not awaited: the time would reveal the account. */
  signUpAsked(accountId: string): void {
    this.#watch?.emails
      .signUpAsked(ownerOf(this.#db, accountId))
      .catch(this.#warn("e-mail about a sign-up not written"));
  }

  /** Not awaited: the time would reveal the account. */
  wrongPassword(account: AccountRow | undefined, wrong: number): void {
    if (!account || wrong < WRONG_PASSWORDS) return;
    this.#watch?.emails
      .wrongPasswords(ownerOf(this.#db, account.id))
      .catch(this.#warn("e-mail about wrong passwords not written"));
  }

  async newBrowser(account: AccountRow, { address, headers }: Visitor): Promise<void> {
    if (!this.#watch || this.knows(account, headers)) return;
    const browser = browserName(headers.get("user-agent") ?? "");
    await this.#watch.emails
      .newBrowser(ownerOf(this.#db, account.id), { browser, address })
      .catch(this.#warn("e-mail about a sign-in not written"));
  }

  knows(account: AccountRow, headers: Headers): boolean {
    return this.#watch?.browsers.knows(headers, account) ?? false;
  }

  /** Answers the cookie by which the browser is known next time. */
  remember(account: AccountRow, headers: Headers): string | undefined {
    return this.#watch?.browsers.remember(headers, account);
  }

  #warn(message: string, details: Record<string, unknown> = {}): (error: unknown) => void {
    return (error) => this.#log.warn({ err: error, ...details }, message);
  }
}
