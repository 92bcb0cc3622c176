import type { Access } from "../../contract/accounts.ts";
import type { Owner } from "../db/owner.ts";

/** What the account's owner is told by letter about changes of the account, in the transaction of the change. */
export type AccountEmails = {
  /** Sent whatever the preferences say: what still opens the account has to be looked at. */
  passwordChanged(
    owner: Owner,
    access: { ended: readonly Access[]; living: readonly Access[] },
  ): Promise<void>;
  /** Switches letters about the account on: a thief may have switched them off. */
  tellAgain(owner: Owner): Promise<void>;
  /** Somebody asked for a link that sets a new password. It is sent whatever the preferences say. `id`: of the link's row. */
  resetAsked(owner: Owner, link: { id: string; until: Date }): Promise<void>;
  /** Somebody wanted to sign up with the account's e-mail. Once a day, whatever the preferences say. */
  signUpAsked(owner: Owner): Promise<void>;
  /** A link that proves an address: the account's own, or the one that is to take its place. `id`: of the link's row. */
  confirmAsked(owner: Owner, link: { id: string; until: Date; to: string; change: boolean }): Promise<void>;
  /** Wrong passwords from browsers that the account does not know. Once a day. */
  wrongPasswords(owner: Owner): Promise<void>;
  /** Goes to the address that the account had. */
  emailChanged(owner: Owner, change: { from: string }): Promise<void>;
  /** Somebody signed in with a browser that the account had not used. `browser`: `Chrome, Windows`, or empty. */
  newBrowser(owner: Owner, signIn: { browser: string; address: string }): Promise<void>;
  keyCreated(owner: Owner, key: { id: number; name: string }): Promise<void>;
};
