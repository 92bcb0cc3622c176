import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { EmailConfirmation } from "../../contract/accounts.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { linkToken, readLinkToken } from "../base/link-token.ts";
import type { Db } from "../db/client.ts";
import { isUniqueViolation } from "../db/errors.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { AccountEmails } from "./emails.ts";
import type { AccountGuard } from "./limits.ts";
import { deleteLinksOf, findLinkOwner, holdAccount, insertLink, type LinkRow } from "./link-repo.ts";
import { type AccountRow, findAccount, storeConfirmed } from "./repo.ts";

/** By link, by the operator's command where no link works, or not at all. */
export type Confirming = "link" | "operator" | null;

export const confirmingOf = ({ mail, publicUrl }: { mail: unknown; publicUrl: string | null }): Confirming =>
  mail === null ? null : publicUrl === null ? "operator" : "link";

export function waitingConfirmation(row: AccountRow, by: Confirming): EmailConfirmation | null {
  if (by === null || (row.pending_email === null && row.email_confirmed_at !== null)) return null;
  return { email: row.pending_email ?? row.email, change: row.pending_email !== null, by };
}

/** Long enough for a weekend. */
const LINK_MS = 3 * 24 * 60 * 60_000;

export type ConfirmationDeps = {
  db: Db;
  clock: Pick<Clock, "now">;
  log: Logger;
  guard: Pick<AccountGuard, "beforeConfirmation">;
  emails: Pick<AccountEmails, "confirmAsked" | "emailChanged">;
  changes: Pick<Changes, "mark">;
  key: Uint8Array;
  by: Confirming;
};

export type EmailConfirmations = {
  by: Confirming;
  /** Replaces earlier links. Inside a transaction. */
  send(inside: Owner): Promise<void>;
  /** Throws `too_many_requests` after a few, `mail_not_configured`. */
  again(owner: Owner): Promise<void>;
  /** Throws `confirmation_link_over`. */
  look(token: string): Promise<{ email: string; change: boolean }>;
  /** Throws `email_change_failed` when another account has the address. */
  use(token: string): Promise<{ email: string; change: boolean }>;
};

const targetOf = (account: AccountRow) => ({
  email: account.pending_email ?? account.email,
  change: account.pending_email !== null,
});

/** Until confirmed, the address gets no other e-mail and no change takes effect. */
export function emailConfirmations(deps: ConfirmationDeps): EmailConfirmations {
  const { db, clock, emails, by } = deps;

  async function send(inside: Owner): Promise<void> {
    const account = await findAccount(inside);
    if (by !== "link" || !account || !waitingConfirmation(account, by)) return;
    const now = clock.now();
    const until = new Date(now.getTime() + LINK_MS);
    const row = rowOf(linkToken(deps.key, randomUUID()));
    const { email: to, change } = targetOf(account);
    await deleteLinksOf(inside, "confirmation");
    await insertLink(inside, "confirmation", { ...row, expiresAt: until, now });
    await emails.confirmAsked(inside, { id: row.id, until, to, change });
  }

  async function find(token: string): Promise<{ owner: Owner; account: AccountRow }> {
    const owner = await findLinkOwner(db, "confirmation", rowOf(token), clock.now());
    const account = owner && (await findAccount(owner));
    if (!owner || !account) throw new AppError("confirmation_link_over");
    return { owner, account };
  }

  return {
    by,
    send,

    async again(owner) {
      if (by !== "link") throw new AppError("mail_not_configured");
      const account = await findAccount(owner);
      if (!account) throw new AppError("unauthenticated");
      if (!waitingConfirmation(account, by)) return;
      await deps.guard.beforeConfirmation(owner.accountId, targetOf(account).email);
      await owner.db.transaction().execute((tx) => send(owner.in(tx)));
    },

    look: async (token) => targetOf((await find(token)).account),

    async use(token) {
      const { owner } = await find(token);
      const done = await db
        .transaction()
        .execute(async (tx) => {
          await holdAccount(owner.in(tx));
          // Used by another request, or another address is pending.
          const inside = await findLinkOwner(tx, "confirmation", rowOf(token), clock.now());
          const account = inside && (await findAccount(inside));
          if (!inside || !account) throw new AppError("confirmation_link_over");
          await confirmEmail(deps, inside, account);
          return targetOf(account);
        })
        .catch((error: unknown) => {
          throw isUniqueViolation(error, "account_email_key") ? new AppError("email_change_failed") : error;
        });
      deps.changes.mark(owner.accountId, "account");
      return done;
    },
  };
}

/** Notifies the former address. Inside a transaction. */
export async function confirmEmail(
  { clock, emails }: Pick<ConfirmationDeps, "clock"> & { emails: Pick<AccountEmails, "emailChanged"> },
  owner: Owner,
  account: AccountRow,
): Promise<void> {
  const { email: from, pending_email: to } = account;
  if (to !== null) {
    // The former mailbox must not reset the password.
    await deleteLinksOf(owner, "reset");
    await emails.emailChanged(owner, { from });
    await record(owner, { kind: "email_changed", subject: to });
  }
  await deleteLinksOf(owner, "confirmation");
  await storeConfirmed(owner, to ?? from, clock.now());
}

function rowOf(token: string): LinkRow {
  const row = readLinkToken(token);
  if (!row) throw new AppError("confirmation_link_over");
  return row;
}
