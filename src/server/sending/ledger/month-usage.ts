import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Owner } from "../../db/owner.ts";

/**
 * Accepted messages of an account: campaigns' by day in their zone (`campaign_day`), direct ones in the
 * account's zone, including deleted connections (`single_usage`).
 */

/** Several messages to one person count as several. Gateway-accepted messages count before WhatsApp confirms. */
const LEFT = sql.raw(String(DELIVERY.accepted));

/** `day`, `campaigns`, `single` from a day on; arguments are SQL. */
function daysOf(account: RawBuilder<unknown>, zone: RawBuilder<unknown>, since: RawBuilder<unknown>) {
  return sql`
    select d.day, (d.accepted + d.unconfirmed) * c.parts as campaigns, 0 as single
    from campaign c join campaign_day d on d.campaign_id = c.id
    where c.account_id = ${account} and d.day >= ${since}
    union all
    select (o.at at time zone ${zone})::date, 0, count(*)
    from outbox o
    where o.account_id = ${account} and o.status >= ${LEFT} and o.action is null and o.at >= (${since})::timestamp at time zone ${zone}
    group by 1
    union all
    select u.day, 0, u.messages from direct_message_usage u where u.account_id = ${account} and u.day >= ${since}`;
}

const monthOf = (at: RawBuilder<unknown>, zone: RawBuilder<unknown>) =>
  sql`date_trunc('month', ${at} at time zone ${zone})::date`;

const MONTH = monthOf(sql`now()`, sql.ref("a.time_zone"));

/**
 * SQL: the current month's messages for row `a`. A campaign zone ahead of the account's may be in the next
 * month, which counts as in the displayed usage.
 */
export const THIS_MONTH = sql`(
  select coalesce(sum(u.campaigns + u.single), 0)::int
  from (${daysOf(sql.ref("a.id"), sql.ref("a.time_zone"), MONTH)}) u where u.day < ${MONTH} + interval '1 month')`;

export const NEXT_MONTH = sql`(date_trunc('month', now() at time zone a.time_zone) + interval '1 month') at time zone a.time_zone`;

export type MonthUsage = { month: string; campaigns: number; single: number };

/** Newest first, without empty months; `month`: `2026-11`. */
export async function usageByMonth(owner: Owner, zone: string, now: Date): Promise<MonthUsage[]> {
  const since = sql`(${monthOf(sql`${now}::timestamptz`, sql`${zone}::text`)} - interval '12 months')::date`;
  const { rows } = await sql<MonthUsage>`
    select to_char(u.day, 'YYYY-MM') as month, sum(u.campaigns)::int as campaigns, sum(u.single)::int as single
    from (${daysOf(sql`${owner.accountId}::uuid`, sql`${zone}::text`, since)}) u
    group by 1 having sum(u.campaigns + u.single) > 0 order by 1 desc`.execute(owner.db);
  return rows;
}

export async function monthAt(
  owner: Owner,
  zone: string,
  now: Date,
): Promise<{ month: string; renewsAt: Date }> {
  const { rows } = await sql<{ month: string; renewsAt: Date }>`
    select to_char(${now}::timestamptz at time zone ${zone}::text, 'YYYY-MM') as month,
      (date_trunc('month', ${now}::timestamptz at time zone ${zone}::text) + interval '1 month') at time zone ${zone}::text
        as "renewsAt"`.execute(owner.db);
  if (!rows[0]) throw new Error("no month");
  return rows[0];
}

export type Usage = { month: string; renewsAt: Date; months: MonthUsage[] };

/** The current month in `zone`, when the next begins, and the last twelve as `usageByMonth`. */
export async function usageOf(owner: Owner, zone: string, now: Date): Promise<Usage> {
  return { ...(await monthAt(owner, zone, now)), months: await usageByMonth(owner, zone, now) };
}
