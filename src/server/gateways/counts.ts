import { sql } from "kysely";

/** SQL: unprocessed events of all accounts, counted up to `most`. */
export const countWaiting = (most: number) =>
  sql<number>`(select count(*)::int from (select from webhook_event limit ${most}) q)`;

/** SQL: how long the oldest of them has waited. */
export const OLDEST_SECONDS = sql<number>`coalesce(
  (select extract(epoch from now() - received_at)::float8 from webhook_event order by id limit 1), 0)`;
