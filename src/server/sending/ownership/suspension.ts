import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";
import { awaitStarts } from "../campaigns/campaign-status.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { LANE_CHANNEL, OUTBOX_CHANNEL, wakeLane, wakeStarter } from "../ledger/signals.ts";
import { IS_FREE } from "./workers.ts";

const CAUSE = "suspended";
const INTERRUPTED = "interrupted";

const SUSPENDED_ACCOUNTS = sql<{ id: string }>`select id from account where suspended_at is not null`;

export async function findSuspended(db: Db): Promise<ReadonlySet<string>> {
  return new Set((await executePrepared(SUSPENDED_ACCOUNTS, db)).map(({ id }) => id));
}

/**
 * Pauses a suspended account's campaigns until a person resumes them; processes release its lanes. Call after
 * the suspension's commit; returns the number stopped.
 */
export async function stopSending(owner: Owner): Promise<number> {
  await awaitStarts(owner.db, { accountId: owner.accountId });
  return owner.db.transaction().execute((tx) => pauseAll(owner.in(tx)));
}

async function pauseAll(owner: Owner): Promise<number> {
  const tx = owner.db;
  const { rows } = await sql<{ id: number }>`
    update campaign set status = 'paused', pause_reason = ${CAUSE}, updated_at = now()
    where id in (select id from campaign where account_id = ${owner.accountId}::uuid and status in ('starting', 'sending')
      order by id for no key update)
    returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await recordCampaigns(tx, "campaign_paused", ids, CAUSE);
  await notifyLanes(owner);
  return ids.length;
}

export async function countOwned(owner: Owner): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from connection
    where account_id = ${owner.accountId}::uuid and owner is not null and not ${IS_FREE}`.execute(owner.db);
  return rows[0]?.n ?? 0;
}

/**
 * Ends waiting direct messages, which days later would surprise people: unsent ones as errors, others as «A
 * verificar». Returns the number.
 */
export async function endWaitingSingles(owner: Owner): Promise<number> {
  const { rows } = await sql`with ended as (
      update outbox set at = coalesce(at, now()), not_before = null,
        status = case when ambiguous then ${DELIVERY.uncertain}::smallint else ${DELIVERY.error}::smallint end,
        error = case when ambiguous then ${INTERRUPTED} else ${CAUSE} end
      where id in (select id from outbox where account_id = ${owner.accountId}::uuid
        and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) order by id for update)
        and status in (${DELIVERY.pending}, ${DELIVERY.waiting})
      returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from ended`.execute(owner.db);
  return rows.length;
}

/** For an account being deleted: no one new is claimed, and lanes with messages in flight are woken. */
export async function cancelAll(owner: Owner): Promise<void> {
  await awaitStarts(owner.db, { accountId: owner.accountId });
  const { rows } = await sql<{ connectionId: number | null }>`
    update campaign set status = 'cancelled', pause_reason = null, updated_at = now()
    where id in (select id from campaign
      where account_id = ${owner.accountId} and status in ('scheduled', 'starting', 'sending', 'paused')
      order by id for no key update) returning connection_id as "connectionId"`.execute(owner.db);
  for (const connectionId of new Set(rows.map((row) => row.connectionId)))
    if (connectionId !== null) await wakeLane(owner.db, connectionId);
}

export async function wakeConnections(owner: Owner): Promise<void> {
  await wakeStarter(owner.db);
  await notifyLanes(owner);
}

async function notifyLanes(owner: Owner): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, 'lane:' || id) from connection
    where account_id = ${owner.accountId}::uuid`.execute(owner.db);
}
