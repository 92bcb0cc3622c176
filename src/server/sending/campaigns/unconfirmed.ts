import { sql } from "kysely";
import { CONFIRMED_WITHIN_MS, DELIVERY } from "../../../domain/delivery.ts";
import { repeat } from "../../base/repeat.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { wakeLane } from "../ledger/signals.ts";

export const UNCONFIRMED = "unconfirmed";

export type UnconfirmedTimes = {
  /** After the last acceptance. */
  atEnd: number;
  /** Since the first of `run` consecutive unconfirmed messages. */
  underWay: number;
  run: number;
  /** Minimum uptime: after an outage missed receipts need time. */
  connected: number;
};

export const UNCONFIRMED_TIMES: UnconfirmedTimes = {
  atEnd: CONFIRMED_WITHIN_MS,
  underWay: 10 * 60_000,
  run: 20,
  connected: 5 * 60_000,
};

const LOOK_MS = 5_000;

type Changed = { accountId: string; campaignId: number };

const ms = (value: number) => sql`${value} * interval '1 millisecond'`;

const ANY = sql`select where exists (select from campaign where status = 'sending' and accepted_count > 0)`;

const ACCEPTED = sql`delivery d where d.campaign_id = c.id and d.needs_attention = ${sql.lit(DELIVERY.accepted)}`;

const waitsAtEnd = (times: UnconfirmedTimes) => sql`(
  c.pending_count = 0 and c.sending_count = 0 and c.waiting_count = 0
  and not exists (select from ${ACCEPTED} and d.at > now() - ${ms(times.atEnd)}))`;

/** Not where a person resumed in spite of it. */
const runsUnconfirmed = (times: UnconfirmedTimes) => sql`(
  not c.goes_on_unconfirmed and c.pending_count + c.waiting_count > 0 and c.accepted_count >= ${times.run}
  and (select count(*) >= ${times.run} and min(d.at) < now() - ${ms(times.underWay)}
    from ${ACCEPTED} and d.at > coalesce(c.last_sent_at, '-infinity')))`;

/**
 * Pauses campaigns with unconfirmed messages; late confirmations still count and end them. Returns the
 * paused.
 */
export async function pauseUnconfirmed(db: Db, times = UNCONFIRMED_TIMES): Promise<Changed[]> {
  if ((await executePrepared(ANY, db)).length === 0) return [];
  const stuck = sql`c.status = 'sending' and c.accepted_count > 0 and (${waitsAtEnd(times)} or ${runsUnconfirmed(times)})
    and exists (select from connection k where k.id = c.connection_id
      and k.state = 'connected' and k.state_since < now() - ${ms(times.connected)})`;
  const { rows } = await sql<{
    id: number;
  }>`select c.id from campaign c where ${stuck} order by c.id`.execute(db);
  const paused: Changed[] = [];
  for (const { id } of rows)
    paused.push(...(await db.transaction().execute((tx) => pauseOne(tx, id, stuck))));
  return paused;
}

async function pauseOne(tx: Db, campaignId: number, stuck: ReturnType<typeof sql>): Promise<Changed[]> {
  await sql`select from campaign where id = ${campaignId} for no key update`.execute(tx);
  // Rechecked after the lock: a confirmation may have come.
  const { rows } = await sql<Changed & { connectionId: number | null }>`
    update campaign c set status = 'paused', pause_reason = ${UNCONFIRMED}, updated_at = now()
    where c.id = ${campaignId} and ${stuck}
    returning c.account_id as "accountId", c.id as "campaignId", c.connection_id as "connectionId"`.execute(
    tx,
  );
  if (rows.length > 0) await recordCampaigns(tx, "campaign_paused", [campaignId], UNCONFIRMED);
  for (const { connectionId } of rows) if (connectionId !== null) await wakeLane(tx, connectionId);
  return rows.map(({ accountId }) => ({ accountId, campaignId }));
}

/** Every five seconds; errors are logged and the next look follows. */
export function watchUnconfirmed(
  db: Db,
  changed: (one: Changed) => void,
  failed: (error: unknown) => void,
): { close(): Promise<void> } {
  return repeat(LOOK_MS, async () => (await pauseUnconfirmed(db)).forEach(changed), failed);
}
