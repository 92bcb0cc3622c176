import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export async function findPasswordHash(owner: Owner): Promise<string | null> {
  const { rows } = await sql<{ password: string | null }>`
    select c.password from credential c join account a on a.id = c.account_id
    where c.account_id = ${owner.accountId} and c.provider_id = 'credential' and a.removed_at is null`.execute(
    owner.db,
  );
  return rows[0]?.password ?? null;
}

export type ProfileChange = {
  name?: string | undefined;
  company?: string | undefined;
  timeZone?: string | undefined;
  language?: string | undefined;
  riskRead?: true | undefined;
  stepsHidden?: boolean | undefined;
};

export async function updateProfile(owner: Owner, change: ProfileChange, now: Date): Promise<void> {
  const { name, company, timeZone, language, riskRead, stepsHidden } = change;
  await sql`
    update account set
      name = coalesce(${name ?? null}, name),
      company = coalesce(${company ?? null}, company),
      time_zone = coalesce(${timeZone ?? null}, time_zone),
      language = coalesce(${language ?? null}, language),
      risk_read_at = case when ${riskRead ?? false} then coalesce(risk_read_at, ${now}) else risk_read_at end,
      steps_hidden_at = case ${stepsHidden ?? null}::boolean
        when true then coalesce(steps_hidden_at, ${now}) when false then null else steps_hidden_at end,
      updated_at = ${now}
    where id = ${owner.accountId} and removed_at is null`.execute(owner.db);
}

export async function updateMonthlyLimit(owner: Owner, messages: number | null): Promise<void> {
  await sql`update account set monthly_limit = ${messages} where id = ${owner.accountId}`.execute(owner.db);
}

export async function updateUndoSeconds(owner: Owner, seconds: number): Promise<void> {
  await sql`update account set undo_seconds = ${seconds} where id = ${owner.accountId}`.execute(owner.db);
}

export async function updateOptOutConfirmation(owner: Owner, text: string | null): Promise<void> {
  await sql`update account set opt_out_confirmation = ${text} where id = ${owner.accountId}`.execute(
    owner.db,
  );
}

export async function updateWeeklyLimit(owner: Owner, campaigns: number | null): Promise<void> {
  await sql`update account set campaigns_per_week = ${campaigns} where id = ${owner.accountId}`.execute(
    owner.db,
  );
}
