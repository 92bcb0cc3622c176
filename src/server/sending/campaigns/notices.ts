import { sql } from "kysely";
import { CONNECTED } from "./connected.ts";

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

/** SQL: campaigns that ended. */
export const endedSince = (since: Date) => sql<EndedCampaign>`
  select c.account_id as "accountId", c.id, c.name, c.ended_at as at, c.total,
    c.sent_count + c.delivered_count + c.read_count as sent, c.error_count as error, c.uncertain_count as uncertain, c.accepted_count as accepted, c.skipped_count as skipped
  from campaign c join account a on a.id = c.account_id
  where c.ended_at >= ${since} and c.status = 'ended' and c.deleted_at is null and a.removed_at is null`;

export type PausedCampaign = {
  accountId: string;
  id: number;
  name: string;
  at: Date;
  cause: string;
  /** Null for a resend before its start. */
  left: number | null;
};

/** SQL: campaigns stopped by the product, not by a person. */
export const pausedSince = (since: Date) => sql<PausedCampaign>`
  select c.account_id as "accountId", c.id, c.name, c.updated_at as at, coalesce(c.pause_reason, 'unknown') as cause,
    case when c.started_at is not null then c.pending_count + c.sending_count + c.waiting_count
      when c.resends_id is null and c.audience is null then coalesce(l.contacts, 0) end as left
  from campaign c join account a on a.id = c.account_id left join contact_list l on l.id = c.list_id
  where c.status = 'paused' and c.updated_at >= ${since} and a.removed_at is null
    and coalesce(c.pause_reason, 'user') not in ('user', 'connection_removed', 'suspended')`;

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
 * SQL: connections that need a person (`resting`: the causes), and those a campaign waits for longer than
 * `patienceMs`, disconnected or not delivering.
 */
export const downSince = (
  since: Date,
  { resting, patienceMs }: { resting: readonly string[]; patienceMs: number },
) => sql<DownConnection>`
  select k.account_id as "accountId", k.id, k.name, k.state_since as at, k.state_reason as cause, k.state = 'connected' as hindered, n.campaigns
  from connection k join account a on a.id = k.account_id
    cross join lateral (select count(*)::int as campaigns from campaign c
      where c.connection_id = k.id and c.status in ('starting', 'sending') and ${CONNECTED} is false) n
  where k.desired = 'connected' and a.removed_at is null and a.suspended_at is null
    and (k.state <> 'connected' and k.state_reason = any(${[...resting]}::text[]) and k.state_since >= ${since}
      or n.campaigns > 0 and k.state_since < now() - ${patienceMs} * interval '1 millisecond')`;
