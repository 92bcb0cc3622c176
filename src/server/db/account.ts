import { sql } from "kysely";
import { OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import type { Db } from "./client.ts";
import type { Owner } from "./owner.ts";
import { executePrepared } from "./prepared.ts";

/** SQL rows `id`, `email` of accounts that are not removed. */
export const LIVING_ACCOUNTS = sql`(select id, email from account where removed_at is null)`;

/** SQL row `id`, `zone`; none once the account is deleted, so an insert that selects from it writes nothing. */
export const accountRow = (accountId: string) =>
  sql`(select id, time_zone as zone from account where id = ${accountId}::uuid)`;

export async function readZone({ db, accountId }: Owner): Promise<string | undefined> {
  const rows = await executePrepared(sql<{ zone: string }>`select zone from ${accountRow(accountId)} a`, db);
  return rows[0]?.zone;
}

/** Campaigns a person may get in seven days; null: any number. */
export async function readWeeklyLimit({ db, accountId }: Owner): Promise<number | null> {
  const { rows } = await sql<{ most: number | null }>`select campaigns_per_week as most from account
    where id = ${accountId}::uuid`.execute(db);
  return rows[0]?.most ?? null;
}

/** Null: as the installation sets it. */
export async function readUndoSeconds({ db, accountId }: Owner): Promise<number | null> {
  const { rows } = await sql<{ s: number | null }>`select undo_seconds as s from account
    where id = ${accountId}::uuid`.execute(db);
  return rows[0]?.s ?? null;
}

export async function readOptOutConfirmation({ db, accountId }: Owner): Promise<string> {
  const { rows } = await sql<{ text: string | null }>`select opt_out_confirmation as text from account
    where id = ${accountId}::uuid`.execute(db);
  return rows[0]?.text ?? OPT_OUT_CONFIRMATION;
}

/** First lock of what refers to the account, as a deletion takes it. */
export async function shareAccount(tx: Db, accountId: string): Promise<void> {
  await sql`select 1 from account where id = ${accountId}::uuid for key share`.execute(tx);
}
