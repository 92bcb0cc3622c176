import { type RawBuilder, sql } from "kysely";
import { limitOn } from "../../db/account-limits.ts";
import type { Owner } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";

export type Totals = { accepted: number; confirmed: number; read: number; errors: number; uncertain: number };

const ofCampaign = (owner: Owner, campaignId: number | undefined): RawBuilder<unknown> =>
  sql`c.account_id = ${owner.accountId}::uuid ${campaignId === undefined ? sql`` : sql`and c.id = ${campaignId}`}`;

export async function findTotals(owner: Owner, campaignId?: number): Promise<Totals> {
  const rows = await executePrepared(
    sql<Totals>`select
      coalesce(sum(c.sent_count + c.delivered_count + c.read_count), 0)::float8 as accepted,
      coalesce(sum(c.delivered_count + c.read_count), 0)::float8 as confirmed,
      coalesce(sum(c.read_count), 0)::float8 as read,
      coalesce(sum(c.error_count), 0)::float8 as errors, coalesce(sum(c.uncertain_count), 0)::float8 as uncertain
    from campaign c where ${ofCampaign(owner, campaignId)}`,
    owner.db,
  );
  return rows[0] ?? { accepted: 0, confirmed: 0, read: 0, errors: 0, uncertain: 0 };
}

/** `day`: `2026-11-19`. `gapS`: sum over campaigns of last minus first message that day. */
export type Day = {
  day: string;
  accepted: number;
  failed: number;
  uncertain: number;
  confirmed: number;
  gapS: number;
  gaps: number;
};

export async function findDays(owner: Owner, campaignId?: number): Promise<Day[]> {
  const rows = await executePrepared(
    sql<Day>`select d.day,
      sum(d.accepted)::float8 as accepted, sum(d.failed)::float8 as failed, sum(d.uncertain)::float8 as uncertain,
      sum(d.delivered)::float8 as confirmed,
      coalesce(extract(epoch from sum(d.last_at - d.first_at) filter (where d.accepted > 1)), 0)::float8 as "gapS",
      coalesce(sum(d.accepted - 1) filter (where d.accepted > 1 and d.first_at is not null), 0)::float8 as gaps
    from campaign c join campaign_day d on d.campaign_id = c.id
    where ${ofCampaign(owner, campaignId)} group by d.day order by d.day`,
    owner.db,
  );
  return rows;
}

export type SentDay = { connectionId: number; day: string; sent: number };

/** Deleted campaigns count. */
export async function findSentDays(owner: Owner, from: string, to: string): Promise<SentDay[]> {
  const { rows } = await sql<SentDay>`select c.connection_id as "connectionId", d.day,
      greatest(0, sum(d.accepted + d.unconfirmed))::float8 as sent
    from campaign c join campaign_day d on d.campaign_id = c.id
    where ${ofCampaign(owner, undefined)} and c.connection_id is not null and d.day between ${from}::date and ${to}::date
    group by 1, 2 order by 1, 2`.execute(owner.db);
  return rows;
}

/** SQL: campaigns of all accounts that are not over. Must match the partial index, or the whole table is read. */
export const CURRENT_CAMPAIGNS = sql<{ life: string; n: number; people: number; doubts: number }>`
  select status as life, count(*)::int as n,
    coalesce(sum(pending_count + waiting_count + sending_count), 0)::bigint as people, coalesce(sum(uncertain_count), 0)::bigint as doubts
  from campaign where status = any(array['sending', 'paused', 'starting']) group by status
  union all
  select 'scheduled', count(*)::int, 0, 0 from campaign where status = 'scheduled'`;

/** SQL: a campaign left its draft. */
export const hasStarted = ({ accountId }: Owner) =>
  sql<boolean>`exists (select 1 from campaign where account_id = ${accountId}::uuid and status <> 'draft')`;

export const DELIVERIES = limitOn(
  "deliveries",
  sql`(select coalesce(sum(total), 0) from campaign where account_id = a.id and deleted_at is null)`,
);

export const WAITING_CAMPAIGNS = limitOn(
  "waiting_campaigns",
  sql`(select count(*) from campaign where account_id = a.id and status in ('scheduled', 'starting'))`,
);
