import { randomUUID } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { AccountLetters } from "../accounts/letters.ts";
import type { Owner } from "../db/owner.ts";
import {
  emailLetter,
  keyLetter,
  passwordLetter,
  resetLetter,
  signInLetter,
  signUpLetter,
} from "./letters.ts";
import { findReader, insertLetter, RESET_LETTER, type Reader } from "./mail-repo.ts";
import { findPreferences } from "./preferences-repo.ts";

/** Letters go out in the order of their times: behind thousands of news a link would be over when it arrives. */
const BEFORE_ALL = new Date(0);

type Deps = { clock: Pick<Clock, "now">; url: string | null; configured: boolean };
type Written = { key: string; subject: string; body: string; address?: string };

/**
 * Letters about changes of an account, put out in the transaction of the change. Where no mail server is configured there are none: they
 * would all go out on the day on which one is.
 */
export function accountLetters({ clock, url, configured }: Deps): AccountLetters {
  async function tell(owner: Owner, write: (reader: Reader, at: Date) => Written): Promise<void> {
    if (!configured) return;
    const preferences = await findPreferences(owner);
    const reader = await findReader(owner);
    if (!reader || !preferences?.emailAccountUpdates) return;
    const at = clock.now();
    await insertLetter(owner, { kind: "account_updates", ...write(reader, at) }, at);
  }

  return {
    passwordChanged: (owner) =>
      tell(owner, (reader, at) => ({
        key: `password/${randomUUID()}`,
        ...passwordLetter(reader, { at, url }),
      })),
    async resetAsked(owner, { id, until }) {
      const reader = configured ? await findReader(owner) : undefined;
      if (!reader) return;
      const at = clock.now();
      const letter = resetLetter(reader, { at, until });
      const key = `${RESET_LETTER}${id}`;
      await insertLetter(owner, { kind: "account_updates", key, ...letter, notBefore: BEFORE_ALL }, at);
    },
    async signUpAsked(owner) {
      const reader = configured ? await findReader(owner) : undefined;
      if (!reader) return;
      const at = clock.now();
      // The day is in the key: a second try on the same day writes no second letter.
      const key = `sign-up/${at.toISOString().slice(0, 10)}`;
      await insertLetter(owner, { kind: "account_updates", key, ...signUpLetter(reader, { at, url }) }, at);
    },
    emailChanged: (owner, { from, to }) =>
      tell(owner, (reader, at) => ({
        key: `email/${randomUUID()}`,
        address: from,
        ...emailLetter(reader, { at, url, from, to }),
      })),
    newBrowser: (owner, signIn) =>
      tell(owner, (reader, at) => ({
        key: `sign-in/${randomUUID()}`,
        ...signInLetter(reader, { at, url, ...signIn }),
      })),
    keyCreated: (owner, { id, name }) =>
      tell(owner, (reader, at) => ({ key: `key/${id}`, ...keyLetter(reader, { at, url, name }) })),
  };
}
