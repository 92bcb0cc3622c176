import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { isSuspended } from "../db/suspended.ts";

/** A check time this far ahead came from a wrong clock. */
const AHEAD = sql`now() + interval '1 hour'`;

/** `since`: everything earlier is processed. */
export type Due = { connectionId: number; accountId: string; since: Date };

export async function findDue(db: Db, everyMs: number): Promise<Due[]> {
  const { rows } = await sql<Due>`select i.connection_id as "connectionId", i.account_id as "accountId",
      coalesce(i.checked_to, i.created_at) as since
    from instance i join connection c on c.id = i.connection_id
    where c.state = 'connected' and c.desired = 'connected' and not ${isSuspended(sql.ref("i.account_id"))}
      and (i.checked_to is null or i.checked_to < now() - make_interval(secs => ${everyMs / 1000}) or i.checked_to > ${AHEAD})
    order by i.checked_to nulls first`.execute(db);
  return rows;
}

/** Held until released or the database connection ends. */
export async function holdCheck(db: Db, connectionId: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_lock(hashtextextended('gap check of ' || ${connectionId}::bigint, 0)) as held`.execute(
    db,
  );
  return rows[0]?.held ?? false;
}

export async function giveCheckBack(db: Db, connectionId: number): Promise<void> {
  await sql`select pg_advisory_unlock(hashtextextended('gap check of ' || ${connectionId}::bigint, 0))`.execute(
    db,
  );
}

export async function noteChecked(db: Db, connectionId: number, to: Date): Promise<void> {
  await sql`update instance set checked_to = case when checked_to > ${AHEAD} then ${to} else greatest(checked_to, ${to}) end
    where connection_id = ${connectionId}`.execute(db);
}
