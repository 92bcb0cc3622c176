import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";
import { MORE_ATTACHMENTS_SQL } from "../ledger/campaign-parts.ts";
import { IS_TIME } from "../ledger/due.ts";
import { OUTGOING_TEXT_SQL } from "../ledger/outgoing-text.ts";

export type LaneCampaign = {
  id: number;
  accountId: string;
  nonce: number;
  text: string;
  nameFallback: string;
  textVersion: number;
  attachmentId: number | null;
  /** Messages that each person gets. */
  parts: number;
  /** Of the messages after the first. */
  moreAttachmentIds: readonly number[];
  intervalS: number;
  extraS: number;
  fresh: boolean;
  /** Only warm people may be claimed behind the cursor. */
  held: boolean;
  waiting: boolean;
};

const LOOK = `select direct, planned, id, account_id as "accountId", nonce, ${OUTGOING_TEXT_SQL} as text, name_fallback as "nameFallback",
    text_version as "textVersion",
    attachment_id as "attachmentId", parts, ${MORE_ATTACHMENTS_SQL} as "moreAttachmentIds", interval_seconds as "intervalS", jitter_seconds as "extraS", cursor < total as fresh,
    coalesce(cursor >= claims_to, false) as held, waiting_count > 0 as waiting
  from (select exists (select 1 from outbox where connection_id = $1
      and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and ${IS_TIME}) as direct,
      exists (select from number_plan where connection_id = $1) as planned) o
    left join campaign c on connection_id = $1 and status = 'sending'
  order by id`;

/** Prepared once: hundreds of lanes look every few seconds, mostly without result. */
export async function lookForWork(
  prepared: Prepared,
  connectionId: number,
): Promise<{ campaigns: LaneCampaign[]; direct: boolean; planned: boolean }> {
  type Row = LaneCampaign & { direct: boolean; planned: boolean; id: number | null };
  const { rows } = await prepared<Row>("lane_look", LOOK, [connectionId]);
  return {
    direct: rows[0]?.direct ?? false,
    planned: rows[0]?.planned ?? false,
    campaigns: rows.flatMap(({ direct, planned, ...one }) => (one.id === null ? [] : [one])),
  };
}

/**
 * Ms since the last claim of a connection, or null, so that the pace outlives a restart; messages of a killed
 * process have no acknowledgement. Never negative: a clock set back must not stop the lane.
 */
export async function sinceLastClaim(db: Db, connectionId: number): Promise<number | null> {
  const { rows } = await sql<{
    ms: number | null;
  }>`select (extract(epoch from now() - max(claimed_at)) * 1000)::float8 as ms
    from campaign where connection_id = ${connectionId}`.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(0, ms);
}
