import { sql } from "kysely";
import { SERVES_ALL } from "./audience.ts";

/** Scheduled campaigns (`k`) that have only this connection; they stop with it. */
const LEFT_TO_IT = sql`k.account_id = c.account_id and k.status = 'scheduled' and k.connection_id is null
    and k.connection_name is null
    and (select array_agg(id) from connection
      where account_id = c.account_id and desired <> 'removed' and ${SERVES_ALL}) = array[c.id]`;

const NAMED = 5;

const NAMES = sql`(select coalesce(array_agg(name order by id), '{}') from (
    select k.id, k.name from campaign k
    where (k.connection_id = c.id and k.status in ('starting', 'sending', 'paused', 'scheduled')) or (${LEFT_TO_IT})
    order by k.id limit ${sql.lit(NAMED)}) stopped)`;

/** SQL row `sending`, `paused`, `scheduled`, `names` (some): the campaigns that stop without connection `c`. */
export const STOPPED_WITH = sql`(
  select f.sending, f.paused, f.scheduled + (select count(*)::int from campaign k where ${LEFT_TO_IT}) as scheduled,
    ${NAMES} as names
  from (
    select count(*) filter (where status in ('starting', 'sending'))::int as sending,
      count(*) filter (where status = 'paused')::int as paused,
      count(*) filter (where status = 'scheduled')::int as scheduled
    from campaign where connection_id = c.id) f)`;
