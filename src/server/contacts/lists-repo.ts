import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export async function renameList(owner: Owner, listId: number, name: string): Promise<void> {
  await sql`update contact_list set name = ${name}
    where id = ${listId} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
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

/** People of one list at the end of another, which is locked; who is there stays in place. */
export async function appendPlaces(owner: Owner, from: number, to: number): Promise<void> {
  await sql`
    with placed as (
      insert into membership (list_id, seq, person_id)
      select l.id, l.next + m.seq, m.person_id
      from membership m join contact_list f on f.id = m.list_id and f.account_id = ${owner.accountId}::uuid
      cross join (
        select id, coalesce((select max(seq) + 1 from membership where list_id = contact_list.id), 0) as next
        from contact_list where id = ${to} and account_id = ${owner.accountId}::uuid) l
      where f.id = ${from} and not exists (
        select from membership there where there.list_id = l.id and there.person_id = m.person_id)
      order by m.seq
      returning 1)
    update contact_list set contacts = contacts + (select count(*) from placed)
    where id = ${to} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}

export async function findNamesOfLists(owner: Owner, ids: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from contact_list
    where account_id = ${owner.accountId}::uuid and id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], id)`.execute(owner.db);
  return rows.map(({ name }) => name);
}
