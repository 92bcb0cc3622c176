import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { addSettingNow, deleteSetting, putSetting, readSetting } from "../db/settings.ts";
import { sqlParts } from "../sending/sending.ts";

const SEEN = "notices_seen";

/** Database clock; now at the first call. */
export async function noticesSeen(db: Db): Promise<Date> {
  await addSettingNow(db, SEEN);
  const at = await readSetting(db, SEEN);
  return typeof at === "string" ? new Date(at) : new Date();
}

/** `at`: start of the look. Moves back too: after a clock reset, new ends would count as reported. */
export async function noteSeen(db: Db, at: Date): Promise<void> {
  await putSetting(db, SEEN, at);
}

/** Without a mail server nothing is looked for; later it starts at now. */
export async function pruneSeen(db: Db): Promise<void> {
  await deleteSetting(db, SEEN);
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

/** Without an e-mail yet. */
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
  /** Null for a resend before its start. */
  left: number | null;
};

/** Stopped by the product, not by a person. */
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
  /** Connected, but delivers none of these campaigns. */
  hindered: boolean;
  campaigns: number;
};

/**
 * Connections that need a person, and those a campaign waits for longer than `patienceMs`, disconnected or
 * not delivering.
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
        where c.connection_id = k.id and c.status in ('starting', 'sending') and ${sqlParts().connected} is false) n
    where k.desired = 'connected' and a.removed_at is null and a.suspended_at is null
      and (k.state <> 'connected' and k.state_reason = any(${[...resting]}::text[]) and k.state_since >= ${since}
        or n.campaigns > 0 and k.state_since < now() - ${patienceMs} * interval '1 millisecond')
      and not exists (select 1 from mail m where m.account_id = k.account_id and m.kind = 'delivery_issues'
        and m.key = 'connection/' || k.id || '/' || floor(extract(epoch from k.state_since))::bigint)
    order by k.id limit 500`.execute(db);
  return rows;
}

export const downKey = ({ id, at }: DownConnection) => `connection/${id}/${Math.floor(at.getTime() / 1_000)}`;
