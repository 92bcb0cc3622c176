import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";

/** SQL: unprocessed events of all accounts, counted up to `most`. */
export const countWaiting = (most: number) =>
  sql<number>`(select count(*)::int from (select from webhook_event limit ${most}) q)`;

/** SQL: how long the oldest of them has waited. */
export const OLDEST_SECONDS = sql<number>`coalesce(
  (select extract(epoch from now() - received_at)::float8 from webhook_event order by id limit 1), 0)`;

export const OPERATOR_INSTANCES = limitOn(
  "operator_instances",
  sql`(select count(*) from instance i join connection c on c.id = i.connection_id
    join gateway g on g.id = i.gateway_id
    where c.account_id = a.id and c.desired <> 'removed' and g.account_id is null)`,
);
