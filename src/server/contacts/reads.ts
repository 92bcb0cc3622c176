import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords } from "../db/search.ts";

/** SQL rows `id`, `account_id`, `name`, `contacts` (their number) of lists. */
export const LISTS = sql`(select id, account_id, name, contacts from contact_list)`;

export const FIELDS = sql`(select account_id, key, kind from contact_field)`;

/** SQL: row `name` of the person with this phone; none without a name. */
export const savedName = (account: RawBuilder<unknown>, phone: RawBuilder<unknown>) => sql`
  select k.name from person k where k.account_id = ${account} and k.phone = ${phone} and k.name <> ''`;

/** SQL: rows `phone` of up to `limit` people whose names hold all words. */
export const phonesNamed = ({ accountId }: Owner, words: string, limit: number) => sql`
  select k.phone from person k
  where k.account_id = ${accountId}::uuid and ${holdsWords("k.name", words)} limit ${limit}`;

export async function countByAccount(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; n: number }>`
    select account_id as account, people as n from account_people`.execute(db);
  return new Map(rows.map(({ account, n }) => [account, n]));
}
