import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { PasswordChanged, ResetForm } from "../../contract/accounts.ts";
import { normalizeEmail } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { recordSignIn } from "../audit/service.ts";
import { linkToken, readLinkToken } from "../base/link-token.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import type { AccountEmails } from "./emails.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { AccountGuard } from "./limits.ts";
import { deleteOldLinks, findLinkOwner, holdPassword, insertLink, type LinkRow } from "./link-repo.ts";
import { newPasswordErrors } from "./new-password.ts";
import type { PasswordHasher } from "./password.ts";
import { refuse } from "./prove-password.ts";
import {
  type AccountRow,
  deleteSessionsOf,
  findAccount,
  findAccountByEmail,
  noteReset,
  updatePassword,
} from "./repo.ts";
import { type OutwardAccess, revokeAccess } from "./revoke-access.ts";

const LINK_MS = 60 * 60_000;

export type ResetDeps = {
  db: Db;
  clock: Pick<Clock, "now">;
  log: Logger;
  hasher: PasswordHasher;
  guard: Pick<AccountGuard, "beforeReset" | "afterReset">;
  emails: Pick<AccountEmails, "resetAsked" | "passwordChanged" | "notifyAgain">;
  outward: OutwardAccess;
  /** Until then the gateway still posts to the revoked address. */
  setHooks(): Promise<void>;
  browsers: Pick<KnownBrowsers, "remember">;
  key: Uint8Array;
  configured: boolean;
};

export class PasswordResets {
  readonly #deps: ResetDeps;

  constructor(deps: ResetDeps) {
    this.#deps = deps;
  }

  async byMail(): Promise<boolean> {
    // A restored copy sends no e-mail until released.
    return this.#deps.configured && (await readRestoreLock(this.#deps.db)) === null;
  }

  /** Same answer and timing whether or not the e-mail is known. */
  async ask(typed: string, address: string): Promise<void> {
    const { guard, log } = this.#deps;
    const email = normalizeEmail(typed);
    if (!email) throw refuse({ email: "invalid_email" });
    if (!(await this.byMail())) throw new AppError("mail_not_configured");
    await guard.beforeReset(email, address);
    // Not awaited: the time would reveal the account.
    this.#send(email).catch((error: unknown) => log.warn({ err: error }, "link for a new password not sent"));
  }

  /** Throws `reset_link_over`. */
  async look(token: string): Promise<{ email: string }> {
    const { account } = await this.#find(rowOf(token));
    return { email: account.email };
  }

  /** Also ends all sessions, keys, message addresses and other reset links. */
  async use(form: ResetForm, headers: Headers): Promise<Reset> {
    const { db, log, guard } = this.#deps;
    const row = rowOf(form.token);
    const { owner, account } = await this.#find(row);
    const errors = newPasswordErrors(form, account);
    if (Object.keys(errors).length > 0) throw refuse(errors);
    const hash = await this.#deps.hasher.hash(form.newPassword);
    const reset = await db.transaction().execute(async (tx) => {
      await holdPassword(owner.in(tx));
      const inside = await findLinkOwner(tx, "reset", row, this.#deps.clock.now());
      if (!inside) throw new AppError("reset_link_over");
      return this.#change(inside, hash, headers);
    });
    if (reset.changed.ended.some(({ kind }) => kind === "relay"))
      await this.#deps
        .setHooks()
        .catch((error: unknown) => log.warn({ err: error }, "webhooks not set by now"));
    // Failed attempts with old passwords may have reached the limit.
    await guard
      .afterReset(account.email)
      .catch((error: unknown) => log.warn({ err: error }, "counters of sign-ins not given back"));
    return reset;
  }

  pruneOld(): Promise<void> {
    return deleteOldLinks(this.#deps.db, this.#deps.clock.now());
  }

  async #find(row: LinkRow): Promise<{ owner: Owner; account: AccountRow }> {
    const owner = await findLinkOwner(this.#deps.db, "reset", row, this.#deps.clock.now());
    const account = owner && (await findAccount(owner));
    if (!account) throw new AppError("reset_link_over");
    return { owner, account };
  }

  async #send(email: string): Promise<void> {
    const { db, clock, key, emails } = this.#deps;
    const account = await findAccountByEmail(db, email);
    if (!account) return;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + LINK_MS);
    const row = rowOf(linkToken(key, randomUUID()));
    await db.transaction().execute(async (tx) => {
      const owner = ownerOf(tx, account.id);
      await insertLink(owner, "reset", { ...row, expiresAt, now });
      await emails.resetAsked(owner, { id: row.id, until: expiresAt });
    });
  }

  async #change(inside: Owner, hash: string, headers: Headers): Promise<Reset> {
    const { clock, emails, browsers } = this.#deps;
    await updatePassword(inside, hash, clock.now());
    await noteReset(inside, clock.now());
    await recordSignIn(inside, "password_reset");
    const access = await revokeAccess(this.#deps, inside);
    await emails.notifyAgain(inside);
    await emails.passwordChanged(inside, access);
    const endedSessions = await deleteSessionsOf(inside);
    const account = await findAccount(inside);
    if (!account) throw new AppError("reset_link_over");
    return {
      changed: { endedSessions, ...access },
      // The mailbox is confirmed, so strangers' wrong passwords no longer delay this browser.
      browserCookie: browsers.remember(headers, account),
    };
  }
}

type Reset = { changed: PasswordChanged; browserCookie: string };

function rowOf(token: string): LinkRow {
  const row = readLinkToken(token);
  if (!row) throw new AppError("reset_link_over");
  return row;
}
