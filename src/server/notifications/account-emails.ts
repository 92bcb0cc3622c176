import { randomUUID } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { AccountEmails } from "../accounts/service.ts";
import type { Owner } from "../db/owner.ts";
import {
  addressChangeEmail,
  confirmAddressEmail,
  keyEmail,
  newSignInEmail,
  passwordEmail,
  resetEmail,
  signUpEmail,
  wrongPasswordsEmail,
} from "./emails.ts";
import { CONFIRM_LETTER, findReader, insertEmail, RESET_LETTER, type Reader } from "./mail-repo.ts";
import { findPreferences, savePreferences } from "./preferences-repo.ts";

type Deps = { clock: Pick<Clock, "now">; url: string | null; configured: boolean };
type Written = { key: string; subject: string; body: string; address?: string };
type Write = (reader: Reader, at: Date) => Written;

/**
 * E-mails about account changes, queued in their transaction. None without a mail server, or all would go out
 * when one is configured.
 */
export function accountEmails({ clock, url, configured }: Deps): AccountEmails {
  async function put(owner: Owner, write: Write, { urgent }: { urgent: boolean }): Promise<void> {
    const reader = configured ? await findReader(owner) : undefined;
    if (!reader) return;
    const at = clock.now();
    await insertEmail(owner, { kind: "account_updates", urgent, ...write(reader, at) }, at);
  }

  async function tell(owner: Owner, write: Write): Promise<void> {
    if (configured && (await findPreferences(owner))?.emailAccountUpdates)
      await put(owner, write, { urgent: false });
  }

  const day = (at: Date) => at.toISOString().slice(0, 10);

  return {
    passwordChanged: (owner, access) =>
      put(
        owner,
        (reader, at) => ({
          key: `password/${randomUUID()}`,
          ...passwordEmail(reader, { at, url, ...access }),
        }),
        { urgent: false },
      ),
    tellAgain: (owner) => savePreferences(owner, { emailAccountUpdates: true }, clock.now()),
    resetAsked: (owner, { id, until }) =>
      put(owner, (reader, at) => ({ key: `${RESET_LETTER}${id}`, ...resetEmail(reader, { at, until }) }), {
        urgent: true,
      }),
    confirmAsked: (owner, { id, until, to, change }) =>
      put(
        owner,
        (reader, at) => ({
          key: `${CONFIRM_LETTER}${id}`,
          address: to,
          ...confirmAddressEmail(reader, { at, until, change }),
        }),
        { urgent: true },
      ),
    // The key holds the day: one e-mail per day.
    signUpAsked: (owner) =>
      put(owner, (reader, at) => ({ key: `sign-up/${day(at)}`, ...signUpEmail(reader, { at, url }) }), {
        urgent: true,
      }),
    wrongPasswords: (owner) =>
      put(
        owner,
        (reader, at) => ({ key: `wrong-passwords/${day(at)}`, ...wrongPasswordsEmail(reader, { at, url }) }),
        { urgent: false },
      ),
    emailChanged: (owner, { from }) =>
      put(
        owner,
        (reader, at) => ({
          key: `email/${randomUUID()}`,
          address: from,
          ...addressChangeEmail(reader, { at }),
        }),
        { urgent: false },
      ),
    newBrowser: (owner, signIn) =>
      tell(owner, (reader, at) => ({
        key: `sign-in/${randomUUID()}`,
        ...newSignInEmail(reader, { at, url, ...signIn }),
      })),
    keyCreated: (owner, { id, name }) =>
      tell(owner, (reader, at) => ({ key: `key/${id}`, ...keyEmail(reader, { at, url, name }) })),
  };
}
