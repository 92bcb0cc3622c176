import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Owner } from "../../db/owner.ts";

/**
 * Messages that WhatsApp took of an account: those of campaigns by their day in the campaign's zone (`campaign_day`), single ones by
 * their time in the account's, those of connections since deleted included (`single_usage`).
 */

/** An operator pays for what left: a message that a gateway took counts before WhatsApp confirms it. */
const LEFT = sql.raw(String(DELIVERY.accepted));

/** Rows `day`, `campaigns`, `single` of one account from a day on. The three are SQL: a value or a column. */
function daysOf(account: RawBuilder<unknown>, zone: RawBuilder<unknown>, since: RawBuilder<unknown>) {
  return sql`
    select d.day, d.accepted + d.unconfirmed as campaigns, 0 as single
    from campaign c join campaign_day d on d.campaign_id = c.id
    where c.account_id = ${account} and d.day >= ${since}
    union all
    select (o.at at time zone ${zone})::date, 0, count(*)
    from outbox o
    where o.account_id = ${account} and o.status >= ${LEFT} and o.at >= (${since})::timestamp at time zone ${zone}
    group by 1
    union all
    select u.day, 0, u.messages from direct_message_usage u where u.account_id = ${account} and u.day >= ${since}`;
}

/** `day`: the first of the month in which `at` lies for somebody in `zone`. */
const monthOf = (at: RawBuilder<unknown>, zone: RawBuilder<unknown>) =>
  sql`date_trunc('month', ${at} at time zone ${zone})::date`;

const MONTH = monthOf(sql`now()`, sql.ref("a.time_zone"));

/**
 * Messages of the running month of the account in the row `a`; to stand in a statement over accounts. Where a campaign's zone is ahead of the
 * account's, the next month may have begun there: what it has counts then, as the usage that people see says it.
 */
export const THIS_MONTH = sql`(
  select coalesce(sum(u.campaigns + u.single), 0)::int
  from (${daysOf(sql.ref("a.id"), sql.ref("a.time_zone"), MONTH)}) u where u.day < ${MONTH} + interval '1 month')`;

/** When the next month begins for the account in the row `a`. */
export const NEXT_MONTH = sql`(date_trunc('month', now() at time zone a.time_zone) + interval '1 month') at time zone a.time_zone`;

export type MonthUsage = { month: string; campaigns: number; single: number };

/** The running month and the twelve before it, newest first; those without a message are left out. `month`: `2026-11`. */
export async function usageByMonth(owner: Owner, zone: string, now: Date): Promise<MonthUsage[]> {
  const since = sql`(${monthOf(sql`${now}::timestamptz`, sql`${zone}::text`)} - interval '12 months')::date`;
  const { rows } = await sql<MonthUsage>`
    select to_char(u.day, 'YYYY-MM') as month, sum(u.campaigns)::int as campaigns, sum(u.single)::int as single
    from (${daysOf(sql`${owner.accountId}::uuid`, sql`${zone}::text`, since)}) u
    group by 1 having sum(u.campaigns + u.single) > 0 order by 1 desc`.execute(owner.db);
  return rows;
}

/** `month` and the beginning of the next one, for somebody in `zone`. */
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
