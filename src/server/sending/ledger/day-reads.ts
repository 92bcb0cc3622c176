import { type RawBuilder, sql } from "kysely";

/** SQL: sums of the days that `days` selects by `campaign_id` and `day`; group by campaign for a row each. */
export const daySums = (days: RawBuilder<unknown>) => sql`
  select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(delivered), 0)::float8 as confirmed,
    coalesce(sum(read), 0)::float8 as read, coalesce(sum(failed), 0)::float8 as errors,
    coalesce(sum(uncertain), 0)::float8 as uncertain
  from campaign_day where ${days}`;

/** SQL: seconds `s` between messages on the latest day with two of them. */
export const latestPace = (days: RawBuilder<unknown>) => sql`
  select extract(epoch from last_at - first_at)::float8 / (accepted - 1) as s from campaign_day
  where ${days} and accepted > 1 and first_at is not null order by day desc limit 1`;
