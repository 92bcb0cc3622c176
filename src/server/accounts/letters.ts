import type { Owner } from "../db/owner.ts";

/** What the account's owner is told by letter about changes of the account, in the transaction of the change. */
export type AccountLetters = {
  passwordChanged(owner: Owner): Promise<void>;
  /** Somebody asked for a link that sets a new password. It is sent whatever the preferences say. `id`: of the link's row. */
  resetAsked(owner: Owner, link: { id: string; until: Date }): Promise<void>;
  /** Somebody wanted to sign up with the account's e-mail. Once a day, whatever the preferences say. */
  signUpAsked(owner: Owner): Promise<void>;
  /** Goes to the address that the account had. */
  emailChanged(owner: Owner, change: { from: string; to: string }): Promise<void>;
  /** Somebody signed in with a browser that the account had not used. `browser`: `Chrome, Windows`, or empty. */
  newBrowser(owner: Owner, signIn: { browser: string; address: string }): Promise<void>;
  keyCreated(owner: Owner, key: { id: number; name: string }): Promise<void>;
};
