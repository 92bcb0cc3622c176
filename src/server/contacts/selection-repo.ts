import { type RawBuilder, sql } from "kysely";
import type { Selection } from "../../contract/people.ts";
import type { Owner } from "../db/owner.ts";
import { matchesPerson } from "./people-repo.ts";

/** SQL rows `id`, `place` (the order in which they were shown) of the owner's people of a selection. */
function selected({ accountId }: Owner, selection: Selection): RawBuilder<unknown> {
  const ours = sql`p.account_id = ${accountId}::uuid`;
  if ("ids" in selection)
    return sql`select p.id, p.id as place from person p where ${ours} and p.id = any(${selection.ids}::bigint[])`;
  const { listId, search = "" } = selection.all;
  const those = sql`${ours} and ${matchesPerson(search.trim())}`;
  if (listId === undefined) return sql`select p.id, p.id as place from person p where ${those}`;
  return sql`select p.id, m.seq as place from membership m join person p on p.id = m.person_id
    where m.list_id = ${listId} and ${those}`;
}

/** Selections change one after another: locks would cross, and people placed by one be removed by another. */
export async function lockSelections(owner: Owner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`people of ${owner.accountId}`}, 0))`.execute(
    owner.db,
  );
}

/** These, or all of the account, in id order, before their people. Answers the ids found. */
export async function lockLists(owner: Owner, ids: readonly number[] | null): Promise<number[]> {
  const these = ids === null ? sql`true` : sql`id = any(${ids}::bigint[])`;
  const { rows } = await sql<{ id: number }>`select id from contact_list
    where account_id = ${owner.accountId}::uuid and ${these} order by id for update`.execute(owner.db);
  return rows.map(({ id }) => id);
}

/** At the end of a locked list; answers how many were not in it. */
export async function placeSelected(owner: Owner, listId: number, selection: Selection): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    with placed as (
      insert into membership (list_id, seq, person_id)
      select l.id, l.next + row_number() over (order by s.place) - 1, s.id
      from (${selected(owner, selection)}) s cross join (
        select id, coalesce((select max(seq) + 1 from membership where list_id = contact_list.id), 0) as next
        from contact_list where id = ${listId} and account_id = ${owner.accountId}::uuid) l
      where not exists (select from membership m where m.list_id = l.id and m.person_id = s.id)
      returning 1)
    update contact_list set contacts = contacts + (select count(*) from placed)
    where id = ${listId} and account_id = ${owner.accountId}::uuid
    returning (select count(*) from placed)::float8 as people`.execute(owner.db);
  return rows[0]?.people ?? 0;
}

/** From a locked list; answers how many were in it. */
export async function takeSelectedOut(owner: Owner, listId: number, selection: Selection): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    with gone as (
      delete from membership m using (${selected(owner, selection)}) s
      where m.list_id = ${listId} and m.person_id = s.id
        and exists (select from contact_list l where l.id = m.list_id and l.account_id = ${owner.accountId}::uuid)
      returning 1)
    update contact_list set contacts = contacts - (select count(*) from gone)
    where id = ${listId} and account_id = ${owner.accountId}::uuid
    returning (select count(*) from gone)::float8 as people`.execute(owner.db);
  return rows[0]?.people ?? 0;
}

/** A trigger takes their places along and keeps the counts. All lists of the account are locked. */
export async function deleteSelected(owner: Owner, selection: Selection): Promise<number> {
  const { numAffectedRows } = await sql`delete from person p using (${selected(owner, selection)}) s
    where p.id = s.id and p.account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return Number(numAffectedRows ?? 0);
}
