import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";

/** SQL rows `id`, `account_id` of connections that people see; one under removal is visible only to its lane. */
export const LIVING = sql`(select id, account_id from connection where desired <> 'removed')`;

/** Those under removal too. */
export async function findIds({ db, accountId }: Owner): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from connection where account_id = ${accountId}::uuid order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** By account; none of those without one. */
export async function countByAccount(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; n: number }>`
    select account_id as account, count(*)::int as n from connection where desired <> 'removed' group by 1`.execute(
    db,
  );
  return new Map(rows.map(({ account, n }) => [account, n]));
}

/** After its account's row, as a deletion locks them. */
export async function share(tx: Db, id: number): Promise<void> {
  await sql`select 1 from connection where id = ${id} for key share`.execute(tx);
}
