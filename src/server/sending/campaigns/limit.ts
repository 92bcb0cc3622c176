import { sql } from "kysely";
import { AppError } from "../../../domain/errors.ts";
import { repeat } from "../../base/repeat.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";
import { readSuspended } from "../../db/suspended.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { NEXT_MONTH, THIS_MONTH } from "../ledger/month-usage.ts";
import { wakeLane } from "../ledger/signals.ts";

/** Messages over the limit are at most those of one interval. */
const LOOK_MS = 1_000;

const MAY_NOT_SEND = sql`(a.suspended_at is not null or a.monthly_limit is not null and ${THIS_MONTH} >= a.monthly_limit)`;

/**
 * Sending accounts over their limit or suspended. Starting campaigns are checked on their turn: waiting for a
 * large one here would delay all other limits.
 */
const REACHED = sql<{ id: string }>`select a.id from account a
  where (a.monthly_limit is not null or a.suspended_at is not null)
    and exists (select 1 from campaign c where c.account_id = a.id and c.status = 'sending')
    and ${MAY_NOT_SEND}`;

type Changed = { accountId: string; campaignId: number };

/**
 * Pauses campaigns with the reason `limit` or `suspended` and returns them; people resume them in a new month
 * or after a higher limit.
 */
export async function pauseAtLimit(db: Db): Promise<Changed[]> {
  // Prepared: planning takes longer than this frequent, mostly empty query.
  if ((await executePrepared(REACHED, db)).length === 0) return [];
  const { rows } = await sql<{ id: number }>`with reached as materialized (${REACHED})
    select c.id from campaign c join reached on reached.id = c.account_id
    where c.status = 'sending' order by c.id`.execute(db);
  const paused: Changed[] = [];
  // One transaction each, or a deadlock follows: a start waits for opt-outs, which wait for the first
  // campaign.
  for (const { id } of rows) paused.push(...(await db.transaction().execute((tx) => pauseOne(tx, id))));
  return paused;
}

async function pauseOne(tx: Db, campaignId: number): Promise<Changed[]> {
  const { rows } = await sql<Changed & { connectionId: number | null; cause: string }>`
    update campaign c set status = 'paused', pause_reason = case when a.suspended_at is null then 'limit' else 'suspended' end, updated_at = now()
    from account a
    where c.id = ${campaignId} and c.status = 'sending' and a.id = c.account_id and ${MAY_NOT_SEND}
    returning c.account_id as "accountId", c.id as "campaignId", c.connection_id as "connectionId", c.pause_reason as cause`.execute(
    tx,
  );
  for (const { cause } of rows) await recordCampaigns(tx, "campaign_paused", [campaignId], cause);
  for (const { connectionId } of rows) if (connectionId !== null) await wakeLane(tx, connectionId);
  return rows.map(({ accountId }) => ({ accountId, campaignId }));
}

export async function whyMayNotSend(db: Db, accountId: string): Promise<"limit" | "suspended" | null> {
  const { rows } = await sql<{ cause: "limit" | "suspended" }>`
    select case when a.suspended_at is null then 'limit' else 'suspended' end as cause
    from account a where a.id = ${accountId}::uuid and ${MAY_NOT_SEND}`.execute(db);
  return rows[0]?.cause ?? null;
}

/** Throws `monthly_limit_reached` (`limit`, `used`, `renewsAt`) or `account_suspended`. */
export async function refuseAtLimit(owner: Owner): Promise<void> {
  if (await readSuspended(owner)) throw new AppError("account_suspended");
  const { rows } = await sql<{ limit: number; used: number; renewsAt: Date }>`
    select a.monthly_limit as limit, ${THIS_MONTH} as used, ${NEXT_MONTH} as "renewsAt"
    from account a where a.id = ${owner.accountId}::uuid and a.monthly_limit is not null`.execute(owner.db);
  const [row] = rows;
  if (!row || row.used < row.limit) return;
  throw new AppError("monthly_limit_reached", { ...row, renewsAt: row.renewsAt.toISOString() });
}

/**
 * Every second, apart from the campaign clock, which a large start can block. Errors are logged and the next
 * look follows.
 */
export function watchLimits(
  db: Db,
  changed: (one: Changed) => void,
  failed: (error: unknown) => void,
): { close(): Promise<void> } {
  return repeat(LOOK_MS, async () => (await pauseAtLimit(db)).forEach(changed), failed);
}
