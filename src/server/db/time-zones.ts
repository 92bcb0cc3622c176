import { sql } from "kysely";
import type { Logger } from "pino";
import { DEFAULT_TIME_ZONE, isTimeZone } from "../../domain/account.ts";
import type { Db } from "./client.ts";

/** PostgreSQL's zones differ from Node's, and counting days in an unknown one fails. */
export async function knowsZone(db: Db, zone: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_timezone_names where lower(name) = lower(${zone}) limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * One campaign in a zone unknown to database or Node (old data, restores) stops its lane for all. Accounts
 * get the default zone, campaigns their account's; instants stay.
 */
export async function mendZones(db: Db, log: Logger): Promise<void> {
  const { rows } = await sql<{ zone: string; known: boolean }>`
    with known as (select lower(name) as name from pg_timezone_names)
    select zone, lower(zone) in (select name from known) as known
    from (select time_zone as zone from account union select zone from campaign) stored`.execute(db);
  const unknown = rows.filter(({ zone, known }) => !known || !isTimeZone(zone)).map(({ zone }) => zone);
  if (unknown.length === 0) return;
  await sql`update account set time_zone = ${DEFAULT_TIME_ZONE} where time_zone = any(${unknown}::text[])`.execute(
    db,
  );
  const campaigns = await sql<{ id: number }>`
    with lost as (select id from campaign where zone = any(${unknown}::text[]) order by id for no key update)
    update campaign c set zone = a.time_zone,
      scheduled_local = coalesce(to_char(c.scheduled_at at time zone a.time_zone, 'YYYY-MM-DD"T"HH24:MI'), c.scheduled_local)
    from lost, account a where c.id = lost.id and a.id = c.account_id returning c.id`.execute(db);
  log.warn(
    { zones: unknown, campaigns: campaigns.rows.map(({ id }) => id) },
    "time zones that cannot be counted in, replaced by the account's",
  );
}
