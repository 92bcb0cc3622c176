import { type RawBuilder, sql } from "kysely";
import type { FirstSteps } from "../../contract/dashboard.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Owner } from "../db/owner.ts";
import { executePrepared } from "../db/prepared.ts";

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

export async function countContacts(owner: Owner, since: Date): Promise<{ now: number; before: number }> {
  const rows = await executePrepared(
    sql<{ now: number; before: number }>`select coalesce(sum(contacts), 0)::float8 as now,
      coalesce(sum(contacts) filter (where created_at < ${since}), 0)::float8 as before
    from contact_list where account_id = ${owner.accountId}::uuid`,
    owner.db,
  );
  return rows[0] ?? { now: 0, before: 0 };
}

export async function findNames(owner: Owner, limit: number | null): Promise<{ id: number; name: string }[]> {
  const rows = await executePrepared(
    sql<{ id: number; name: string }>`select id, name from campaign
    where account_id = ${owner.accountId}::uuid and archived_at is null and deleted_at is null order by id desc limit ${limit}::int`,
    owner.db,
  );
  return rows;
}

export async function findZone(owner: Owner): Promise<string | undefined> {
  const rows = await executePrepared(
    sql<{ zone: string }>`select time_zone as zone from account
    where id = ${owner.accountId}::uuid`,
    owner.db,
  );
  return rows[0]?.zone;
}

/**
 * A sent message proves number and list, even if deleted since, so no step is undone. Each query stops at its
 * first index row.
 */
export async function findFirstSteps(owner: Owner): Promise<FirstSteps> {
  const account = sql`account_id = ${owner.accountId}::uuid`;
  const { rows } = await sql<FirstSteps>`
    with done as (
      select exists (select 1 from outbox where ${account} and origin = 'test' and status >= ${DELIVERY.sent}) as test,
        exists (select 1 from campaign where ${account} and status <> 'draft') as campaign)
    select test or exists (
        select 1 from connection where ${account} and desired = 'connected'
          and (state = 'connected' or (state = 'connecting' and pairing is not null))) as connect,
      campaign or exists (select 1 from contact_list where ${account} and contacts > 0) as contacts, test, campaign
    from done`.execute(owner.db);
  if (!rows[0]) throw new Error("no answer");
  return rows[0];
}
