import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Writes `people` (SQL rows `seq`, `phone`, `name`) into a list, whose count the caller has written. */
export async function placePeople(db: Db, listId: number, people: RawBuilder<unknown>): Promise<void> {
  await sql`with given as (select n.seq, n.phone, n.name, l.account_id from (${people}) n, contact_list l where l.id = ${listId}::bigint),
    put as (
      insert into person (account_id, phone, name, origin)
      select account_id, phone, name, 'hand' from given order by seq
      on conflict (account_id, phone) do update set name = coalesce(nullif(excluded.name, ''), person.name)
      returning id, phone, account_id, xmax = 0 as added),
    counted as (
      insert into account_people (account_id, people) select account_id, count(*) from put where added group by account_id
      on conflict (account_id) do update set people = account_people.people + excluded.people)
    insert into membership (list_id, seq, person_id)
    select ${listId}::bigint, g.seq, put.id from given g join put on put.phone = g.phone order by g.seq`.execute(
    db,
  );
}
