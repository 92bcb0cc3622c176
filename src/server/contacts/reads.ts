import { sql } from "kysely";
import type { Db } from "../db/client.ts";

/** SQL rows `id`, `account_id`, `name`, `contacts` (their number) of lists. */
export const LISTS = sql`(select id, account_id, name, contacts from contact_list)`;

/** Contacts of all lists, by account. */
export async function countByAccount(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; n: number }>`
    select account_id as account, sum(contacts)::float8 as n from contact_list group by 1`.execute(db);
  return new Map(rows.map(({ account, n }) => [account, n]));
}
