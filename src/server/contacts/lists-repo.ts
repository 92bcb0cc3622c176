import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export async function renameList(owner: Owner, listId: number, name: string): Promise<boolean> {
  const { rows } = await sql`update contact_list set name = ${name}
    where id = ${listId} and account_id = ${owner.accountId}::uuid returning id`.execute(owner.db);
  return rows.length > 0;
}

/** All places of a locked list in a new one. */
export async function copyPlaces(owner: Owner, from: number, to: number): Promise<void> {
  await sql`
    with placed as (
      insert into membership (list_id, seq, person_id)
      select ${to}::bigint, m.seq, m.person_id from membership m join contact_list l on l.id = m.list_id
      where l.id = ${from} and l.account_id = ${owner.accountId}::uuid order by m.seq
      returning 1)
    update contact_list set contacts = (select count(*) from placed)
    where id = ${to} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}
