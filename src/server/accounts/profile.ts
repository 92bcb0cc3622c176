import type { z } from "zod";
import type { Me } from "../../contract/accounts.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import type { settings } from "../../contract/settings.ts";
import { ACCOUNT_NAME_MAX, isTimeZone, normalizeEmail, normalizeName } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { isUniqueViolation } from "../db/errors.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { knowsZone } from "../db/time-zones.ts";
import { confirmEmail, type EmailConfirmations } from "./email-confirmation.ts";
import type { AccountEmails } from "./emails.ts";
import type { AccountGuard } from "./limits.ts";
import { deleteLinksOf, holdAccount } from "./link-repo.ts";
import { type ProveDeps, provePassword, refuse } from "./prove-password.ts";
import {
  type AccountRow,
  findAccount,
  findAccountByEmail,
  storePendingEmail,
  storeUnconfirmed,
} from "./repo.ts";
import { toMe } from "./service.ts";
import { type ProfileChange, updateProfile } from "./settings-repo.ts";

export type ProfileForm = z.output<typeof settings.profile.body>;

export type ProfileDeps = Omit<ProveDeps, "guard"> & {
  guard: Pick<AccountGuard, "beforePassword" | "afterPassword" | "beforeConfirmation">;
  clock: Clock;
  emails: AccountEmails;
  changes: Pick<Changes, "mark">;
  confirmations: Pick<EmailConfirmations, "by" | "send">;
  attachmentMb?: number;
};

/**
 * A new e-mail needs the password and confirmation; the account's own cancels a pending change. One of
 * another account is refused without saying so.
 */
export async function changeProfile(deps: ProfileDeps, owner: Owner, form: ProfileForm): Promise<Me> {
  const account = await need(owner);
  const { password = "", ...asked } = form;
  const change = validate(asked);
  if (change.timeZone !== undefined && !(await knowsZone(owner.db, change.timeZone)))
    throw refuse({ timeZone: "invalid_option" });
  const moves = change.email !== undefined && change.email !== account.email;
  const stillProved = moves ? await provePassword(deps, owner, password) : null;
  await owner.db
    .transaction()
    .execute(async (tx) => {
      const inside = owner.in(tx);
      await stillProved?.(inside);
      const { email: to, ...rest } = change;
      await updateProfile(inside, rest, deps.clock.now());
      if (to !== undefined) await changeEmail(deps, inside, to, moves);
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, "account_email_key") ? new AppError("email_change_failed") : error;
    });
  deps.changes.mark(owner.accountId, "account");
  return toMe(await need(owner), { ...deps, confirming: deps.confirmations.by });
}

async function changeEmail(deps: ProfileDeps, inside: Owner, to: string, proved: boolean): Promise<void> {
  await holdAccount(inside);
  const account = await need(inside);
  if (to === account.email) {
    if (account.pending_email !== null) await storePendingEmail(inside, null);
    if (account.pending_email !== null) await deleteLinksOf(inside, "confirmation");
    return;
  }
  // Another window changed the e-mail since: restoring the former one needs the password.
  if (!proved) return;
  if (await findAccountByEmail(inside.db, to)) throw new AppError("email_change_failed");
  await storePendingEmail(inside, to);
  if (deps.confirmations.by !== "link") {
    await confirmEmail(deps, inside, { ...account, pending_email: to });
    return storeUnconfirmed(inside);
  }
  await deps.guard.beforeConfirmation(inside.accountId, to);
  await deps.confirmations.send(inside);
}

async function need(owner: Owner): Promise<AccountRow> {
  const account = await findAccount(owner);
  if (!account) throw new AppError("unauthenticated");
  return account;
}

function validate(form: Omit<ProfileForm, "password">): ProfileChange & { email: string | undefined } {
  const fields: Record<string, FieldError> = {};
  const name = form.name === undefined ? undefined : normalizeName(form.name);
  const company = form.company === undefined ? undefined : normalizeName(form.company);
  const email = form.email === undefined ? undefined : normalizeEmail(form.email);
  const tooLong = (text: string) => Array.from(text).length > ACCOUNT_NAME_MAX;
  if (name === "") fields.name = "required";
  else if (name !== undefined && tooLong(name)) fields.name = { code: "too_long", n: ACCOUNT_NAME_MAX };
  if (company !== undefined && tooLong(company)) fields.company = { code: "too_long", n: ACCOUNT_NAME_MAX };
  if (form.email !== undefined && !email) fields.email = "invalid_email";
  if (form.timeZone !== undefined && !isTimeZone(form.timeZone)) fields.timeZone = "invalid_option";
  if (Object.keys(fields).length > 0) throw refuse(fields);
  return { ...form, name, company, email: email ?? undefined };
}
