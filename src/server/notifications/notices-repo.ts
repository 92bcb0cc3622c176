import { sql } from "kysely";
import { CONNECTED } from "../campaigns/connected.ts";
import type { Db } from "../db/client.ts";

const SEEN = "notices_seen";

/** Up to when occasions have been looked for, by the database's clock; at the first call that is now. */
export async function noticesSeen(db: Db): Promise<Date> {
  await sql`insert into setting (key, value) values (${SEEN}, to_jsonb(now())) on conflict (key) do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ at: Date }>`
    select (value #>> '{}')::timestamptz as at from setting where key = ${SEEN}`.execute(db);
  return rows[0]?.at ?? new Date();
}

/**
 * `at`: when the look began. Also an earlier one than was known: after the database's clock was set back, whatever ends would be taken for
 * long told until that time has come again.
 */
export async function noteSeen(db: Db, at: Date): Promise<void> {
  await sql`update setting set value = to_jsonb(${at}::timestamptz), updated_at = now() where key = ${SEEN}`.execute(
    db,
  );
}

/** While no mail server is configured nothing is looked for; once one is, that begins anew. */
export async function forgetSeen(db: Db): Promise<void> {
  await sql`delete from setting where key = ${SEEN}`.execute(db);
}

export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  if (!rows[0]) throw new Error("no time");
  return rows[0].now;
}

export type EndedCampaign = {
  accountId: string;
  id: number;
  name: string;
  at: Date;
  total: number;
  sent: number;
  error: number;
  uncertain: number;
  accepted: number;
  skipped: number;
};

export const endedKey = (id: number) => `campaign/${id}/ended`;

/** Campaigns that ended since then and of which no letter tells. */
export async function findEnded(db: Db, since: Date): Promise<EndedCampaign[]> {
  const { rows } = await sql<EndedCampaign>`
    select c.account_id as "accountId", c.id, c.name, c.ended_at as at, c.total,
      c.sent_count + c.delivered_count + c.read_count as sent, c.error_count as error, c.uncertain_count as uncertain, c.accepted_count as accepted, c.skipped_count as skipped
    from campaign c join account a on a.id = c.account_id
    where c.ended_at >= ${since} and c.status = 'ended' and c.deleted_at is null and a.removed_at is null
      and not exists (select 1 from mail m where m.account_id = c.account_id
        and m.kind in ('campaign_completed', 'delivery_issues') and m.key = 'campaign/' || c.id || '/ended')
    order by c.ended_at limit 500`.execute(db);
  return rows;
}

export type PausedCampaign = {
  accountId: string;
  id: number;
  name: string;
  at: Date;
  cause: string;
  /** Of a resend that has not begun nobody knows how many: it goes to some of its list. */
  left: number | null;
};

/** Campaigns that the product, not a person, has stopped since then. */
export async function findPaused(db: Db, since: Date): Promise<PausedCampaign[]> {
  const { rows } = await sql<PausedCampaign>`
    select c.account_id as "accountId", c.id, c.name, c.updated_at as at, coalesce(c.pause_reason, 'unknown') as cause,
      case when c.started_at is not null then c.pending_count + c.sending_count + c.waiting_count
        when c.resends_id is null then coalesce(l.contacts, 0) end as left
    from campaign c join account a on a.id = c.account_id left join contact_list l on l.id = c.list_id
    where c.status = 'paused' and c.updated_at >= ${since} and a.removed_at is null
      and coalesce(c.pause_reason, 'user') not in ('user', 'connection_removed', 'suspended')
    order by c.id limit 500`.execute(db);
  return rows;
}

export type DownConnection = {
  accountId: string;
  id: number;
  name: string;
  at: Date;
  cause: string | null;
  /** It is up, and all the same it brings nothing of these campaigns to anybody. */
  hindered: boolean;
  campaigns: number;
};

/**
 * Connections that will not come back by themselves and stopped since then, and those that a campaign waits for longer than
 * `patienceMs`: they are down, or nothing of it reaches anybody.
 */
export async function findDown(
  db: Db,
  since: Date,
  { resting, patienceMs }: { resting: readonly string[]; patienceMs: number },
): Promise<DownConnection[]> {
  const { rows } = await sql<DownConnection>`
    select k.account_id as "accountId", k.id, k.name, k.state_since as at, k.state_reason as cause, k.state = 'connected' as hindered, n.campaigns
    from connection k join account a on a.id = k.account_id
      cross join lateral (select count(*)::int as campaigns from campaign c
        where c.connection_id = k.id and c.status in ('starting', 'sending') and ${CONNECTED} is false) n
    where k.desired = 'connected' and a.removed_at is null and a.suspended_at is null
      and (k.state <> 'connected' and k.state_reason = any(${[...resting]}::text[]) and k.state_since >= ${since}
        or n.campaigns > 0 and k.state_since < now() - ${patienceMs} * interval '1 millisecond')
      and not exists (select 1 from mail m where m.account_id = k.account_id and m.kind = 'delivery_issues'
        and m.key = 'connection/' || k.id || '/' || floor(extract(epoch from k.state_since))::bigint)
    order by k.id limit 500`.execute(db);
  return rows;
}

export const downKey = ({ id, at }: DownConnection) => `connection/${id}/${Math.floor(at.getTime() / 1_000)}`;
