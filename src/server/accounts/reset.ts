import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { PasswordChanged, ResetForm } from "../../contract/accounts.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import { normalizeEmail } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { recordSignIn } from "../audit/service.ts";
import { linkToken, readLinkToken } from "../base/link-token.ts";
import type { Db } from "../db/client.ts";
import { ownerOf } from "../db/owner.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import type { AccountEmails } from "./emails.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { AccountGuard } from "./limits.ts";
import { deleteOldLinks, findLinkOwner, holdPassword, insertLink, type LinkRow } from "./link-repo.ts";
import type { PasswordHasher } from "./password.ts";
import { refuse } from "./prove-password.ts";
import { deleteSessionsOf, findAccount, findAccountByEmail, noteReset, updatePassword } from "./repo.ts";
import { type OutwardAccess, revokeAccess } from "./revoke-access.ts";
import { newPasswordError } from "./service.ts";

const LINK_MS = 60 * 60_000;

export type ResetDeps = {
  db: Db;
  clock: Pick<Clock, "now">;
  log: Logger;
  hasher: PasswordHasher;
  guard: Pick<AccountGuard, "beforeReset" | "afterReset">;
  letters: Pick<AccountEmails, "resetAsked" | "passwordChanged" | "tellAgain">;
  outward: OutwardAccess;
  /** Until then the gateway still posts to the revoked address. */
  setHooks(): Promise<void>;
  browsers: Pick<KnownBrowsers, "remember">;
  key: Uint8Array;
  configured: boolean;
};

export type PasswordResets = {
  byMail(): Promise<boolean>;
  /** Same answer and timing whether or not the e-mail is known. */
  ask(email: string, address: string): Promise<void>;
  /** Throws `reset_link_over`. */
  look(token: string): Promise<{ email: string }>;
  /** Also ends all sessions, keys, message addresses and other reset links. */
  use(form: ResetForm, headers: Headers): Promise<{ changed: PasswordChanged; browserCookie: string }>;
  forgetOld(): Promise<void>;
};

export function passwordResets(deps: ResetDeps): PasswordResets {
  const { db, clock, log, guard, letters } = deps;

  // A restored copy sends no e-mail until released.
  const byMail = async () => deps.configured && (await readRestoreLock(db)) === null;

  async function send(email: string): Promise<void> {
    const account = await findAccountByEmail(db, email);
    if (!account) return;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + LINK_MS);
    const row = rowOf(linkToken(deps.key, randomUUID()));
    await db.transaction().execute(async (tx) => {
      const owner = ownerOf(tx, account.id);
      await insertLink(owner, "reset", { ...row, expiresAt, now });
      await letters.resetAsked(owner, { id: row.id, until: expiresAt });
    });
  }

  return {
    byMail,

    async ask(typed, address) {
      const email = normalizeEmail(typed);
      if (!email) throw refuse({ email: "invalid_email" });
      if (!(await byMail())) throw new AppError("mail_not_configured");
      await guard.beforeReset(email, address);
      // Not awaited: the time would reveal the account.
      send(email).catch((error: unknown) => log.warn({ err: error }, "link for a new password not sent"));
    },

    async look(token) {
      const found = await findLinkOwner(db, "reset", rowOf(token), clock.now());
      const account = found && (await findAccount(found));
      if (!account) throw new AppError("reset_link_over");
      return { email: account.email };
    },

    async use({ token, newPassword, confirmPassword }, headers) {
      const row = rowOf(token);
      const found = await findLinkOwner(db, "reset", row, clock.now());
      const account = found && (await findAccount(found));
      if (!account) throw new AppError("reset_link_over");
      const fields: Record<string, FieldError> = {};
      const fault = newPasswordError(newPassword, account);
      if (fault) fields.newPassword = fault;
      if (confirmPassword !== newPassword) fields.confirmPassword = "passwords_differ";
      if (Object.keys(fields).length > 0) throw refuse(fields);
      const hash = await deps.hasher.hash(newPassword);
      const { changed, browserCookie } = await db.transaction().execute(async (tx) => {
        await holdPassword(found.in(tx));
        const owner = await findLinkOwner(tx, "reset", row, clock.now());
        if (!owner) throw new AppError("reset_link_over");
        await updatePassword(owner, hash, clock.now());
        await noteReset(owner, clock.now());
        await recordSignIn(owner, "password_reset");
        const access = await revokeAccess(deps, owner);
        await letters.tellAgain(owner);
        await letters.passwordChanged(owner, access);
        const endedSessions = await deleteSessionsOf(owner);
        const now = await findAccount(owner);
        if (!now) throw new AppError("reset_link_over");
        return {
          changed: { endedSessions, ...access },
          // The mailbox is confirmed, so strangers' wrong passwords no longer delay this browser.
          browserCookie: deps.browsers.remember(headers, now),
        };
      });
      if (changed.ended.some(({ kind }) => kind === "relay"))
        await deps.setHooks().catch((error: unknown) => log.warn({ err: error }, "webhooks not set by now"));
      // Failed attempts with old passwords may have reached the limit.
      await guard
        .afterReset(account.email)
        .catch((error: unknown) => log.warn({ err: error }, "counters of sign-ins not given back"));
      return { changed, browserCookie };
    },

    forgetOld: () => deleteOldLinks(db, clock.now()),
  };
}

function rowOf(token: string): LinkRow {
  const row = readLinkToken(token);
  if (!row) throw new AppError("reset_link_over");
  return row;
}
