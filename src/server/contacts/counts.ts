import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";
import { executePrepared } from "../db/prepared.ts";

/** Contacts of all lists, and of those made before `since`. */
export async function countPeople(owner: Owner, since: Date): Promise<{ now: number; before: number }> {
  const rows = await executePrepared(
    sql<{ now: number; before: number }>`select coalesce(sum(contacts), 0)::float8 as now,
      coalesce(sum(contacts) filter (where created_at < ${since}), 0)::float8 as before
    from contact_list where account_id = ${owner.accountId}::uuid`,
    owner.db,
  );
  return rows[0] ?? { now: 0, before: 0 };
}

/** SQL: a list has people. */
export const hasPeople = ({ accountId }: Owner) => sql<boolean>`exists (
  select 1 from contact_list where account_id = ${accountId}::uuid and contacts > 0)`;

export const LISTS = limitOn("lists", sql`(select count(*) from contact_list where account_id = a.id)`);

/** Places in lists count as well: a known person takes one in each. */
export const PEOPLE = limitOn(
  "people",
  sql`greatest((select people from account_people where account_id = a.id),
    (select coalesce(sum(contacts), 0) from contact_list where account_id = a.id))`,
);

export const WAITING_IMPORTS = limitOn(
  "waiting_imports",
  sql`(select count(*) from contact_import where account_id = a.id and state in ('waiting', 'running'))`,
);
