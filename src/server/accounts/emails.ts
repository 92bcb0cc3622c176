import type { Access } from "../../contract/accounts.ts";
import type { Owner } from "../db/owner.ts";

/** E-mails to the owner, queued in the transaction of the change. */
export type AccountEmails = {
  /** Ignores preferences: the remaining access must be checked. */
  passwordChanged(
    owner: Owner,
    access: { ended: readonly Access[]; living: readonly Access[] },
  ): Promise<void>;
  /** A thief may have disabled e-mails. */
  notifyAgain(owner: Owner): Promise<void>;
  /** Ignores preferences. `id`: of the link's row. */
  resetAsked(owner: Owner, link: { id: string; until: Date }): Promise<void>;
  /** Sign-up tried with the account's e-mail; once a day, ignores preferences. */
  signUpAsked(owner: Owner): Promise<void>;
  /** For the account's address or its new one. `id`: of the link's row. */
  confirmAsked(owner: Owner, link: { id: string; until: Date; to: string; change: boolean }): Promise<void>;
  wrongPasswords(owner: Owner): Promise<void>;
  /** Goes to the former address. */
  emailChanged(owner: Owner, change: { from: string }): Promise<void>;
  /** `browser`: `Chrome, Windows`, or empty. */
  newBrowser(owner: Owner, signIn: { browser: string; address: string }): Promise<void>;
  keyCreated(owner: Owner, key: { id: number; name: string }): Promise<void>;
};
