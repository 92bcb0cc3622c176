import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords } from "../db/search.ts";

/** SQL rows `id`, `account_id`, `name`, `contacts` (their number) of lists. */
export const LISTS = sql`(select id, account_id, name, contacts from contact_list)`;

/** SQL: row `name`, as the newest list of the account that has one names the phone. */
export const savedName = (account: RawBuilder<unknown>, phone: RawBuilder<unknown>) => sql`
  select k.name from contact_list l join contact k on k.list_id = l.id and k.phone = ${phone}
  where l.account_id = ${account} and k.name <> '' order by l.id desc limit 1`;

/** SQL: rows `phone` of up to `limit` contacts whose names hold all words. */
export const phonesNamed = ({ accountId }: Owner, words: string, limit: number) => sql`
  select k.phone from contact_list l join contact k on k.list_id = l.id
  where l.account_id = ${accountId}::uuid and ${holdsWords("k.name", words)} limit ${limit}`;

/** Contacts of all lists, by account. */
export async function countByAccount(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; n: number }>`
    select account_id as account, sum(contacts)::float8 as n from contact_list group by 1`.execute(db);
  return new Map(rows.map(({ account, n }) => [account, n]));
}
