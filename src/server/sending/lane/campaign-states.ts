import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";

/** A campaign as its lane sees it: the frozen content, and where people may still be found. */
export type LaneCampaign = {
  id: number;
  accountId: string;
  nonce: number;
  text: string;
  nameFallback: string;
  textVersion: number;
  imageId: number | null;
  intervalS: number;
  extraS: number;
  /** People not yet handed out are left. */
  fresh: boolean;
  /** People given back wait to be handed out again. */
  waiting: boolean;
};

const LOOK = `select singles, id, account_id as "accountId", nonce, text, name_fallback as "nameFallback",
    text_version as "textVersion",
    image_id as "imageId", interval_seconds as "intervalS", jitter_seconds as "extraS", cursor < total as fresh, waiting_count > 0 as waiting
  from (select exists (select 1 from outbox where connection_id = $1
      and status in (${DELIVERY.pending}, ${DELIVERY.waiting})) as singles) o
    left join campaign on connection_id = $1 and status = 'sending'
  order by id`;

/**
 * The campaigns that send through a connection now, oldest first, and whether there are single messages to hand out. One statement that
 * is planned once: hundreds of lanes look every few seconds, mostly for nothing.
 */
export async function lookForWork(
  prepared: Prepared,
  connectionId: number,
): Promise<{ campaigns: LaneCampaign[]; singles: boolean }> {
  const { rows } = await prepared<LaneCampaign & { singles: boolean; id: number | null }>("lane_look", LOOK, [
    connectionId,
  ]);
  return {
    singles: rows[0]?.singles ?? false,
    campaigns: rows.flatMap(({ singles, ...one }) => (one.id === null ? [] : [one])),
  };
}

/**
 * Milliseconds since people were last handed out for a connection, null when nobody was: the pace outlives a restart. Not since the
 * last acknowledgement: the message on the wire of a killed process has none, and each new start would send one at once. Never
 * negative: a clock that was set back must not stop the lane for as long.
 */
export async function sinceLastClaim(db: Db, connectionId: number): Promise<number | null> {
  const { rows } = await sql<{
    ms: number | null;
  }>`select (extract(epoch from now() - max(claimed_at)) * 1000)::float8 as ms
    from campaign where connection_id = ${connectionId}`.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(0, ms);
}
