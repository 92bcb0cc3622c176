import { sql } from "kysely";
import { OFTEN } from "../../../domain/campaign-calendar.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Owner } from "../../db/owner.ts";
import { type AskedAudience, audiencePeople, readAudience } from "./audience-people.ts";
import { GETS_IT } from "./segment-rule.ts";

export type Ahead = { id: number; at: Date; people: number; asked: AskedAudience };

export type Often = { people: number; from: Date | null; to: Date | null };

/** A count of more places takes seconds. */
const PLACES_MOST = 500_000;

const WEEK = sql`(make_interval(days => ${OFTEN.days}) - interval '1 second')`;

const counted = (
  { accountId }: Owner,
  now: Date,
) => sql`c.account_id = ${accountId}::uuid and c.deleted_at is null
  and (c.status in ('sending', 'paused') or c.last_sent_at > ${now}::timestamptz - ${WEEK})`;

/** Null: too many. Who waits counts as reached now. */
export async function countOften(owner: Owner, now: Date, ahead: readonly Ahead[]): Promise<Often | null> {
  const coming = ahead.reduce((sum, { people }) => sum + people, 0);
  if (coming + (await countPlaces(owner, now)) > PLACES_MOST) return null;
  const { accountId, db } = owner;
  const parts = [
    sql`select d.phone, case when d.status < ${DELIVERY.skipped} then ${now}::timestamptz else d.at end as at
      from campaign c join delivery d on d.campaign_id = c.id
      where ${counted(owner, now)} and ${GETS_IT}
        and (d.status < ${DELIVERY.skipped} or d.at > ${now}::timestamptz - ${WEEK})`,
  ];
  for (const { at, asked } of ahead) {
    const audience = await readAudience(owner, { ...asked, variables: [] });
    if ("gone" in audience) continue;
    parts.push(sql`select a.phone, ${at}::timestamptz
      from (${audiencePeople({ ...audience, perWeek: null })}) a where a.line is null`);
  }
  const { rows } = await sql<Often>`with reached as (${sql.join(parts, sql` union all `)}),
      weeks as (
        select phone, at, min(at) over week as since, count(*) over week as campaigns from reached
        window week as (partition by phone order by at range between ${WEEK} preceding and current row))
    select count(distinct phone)::int as people, min(since) as from, max(at) as to from weeks
    where campaigns >= ${OFTEN.campaigns} and at >= ${now}::timestamptz and not exists (
      select from opt_out o where o.account_id = ${accountId}::uuid and o.phone = weeks.phone)`.execute(db);
  return rows[0] ?? null;
}

async function countPlaces(owner: Owner, now: Date): Promise<number> {
  const { rows } = await sql<{ places: number }>`select coalesce(sum(c.total), 0)::float8 as places
    from campaign c where ${counted(owner, now)}`.execute(owner.db);
  return rows[0]?.places ?? 0;
}
