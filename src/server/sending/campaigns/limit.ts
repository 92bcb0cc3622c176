import { sql } from "kysely";
import { AppError } from "../../../domain/errors.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";
import { readSuspended } from "../../db/suspended.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { NEXT_MONTH, THIS_MONTH } from "../ledger/month-usage.ts";
import { wakeLane } from "../ledger/signals.ts";

/** How often campaigns are held against their account's limit: what is sent beyond it is at most what goes out meanwhile. */
const LOOK_MS = 1_000;

/** Of `account a`: it is suspended, or has sent what it may this month. */
const MAY_NOT_SEND = sql`(a.suspended_at is not null or a.monthly_limit is not null and ${THIS_MONTH} >= a.monthly_limit)`;

/**
 * Accounts that send, and may not. A suspended one was stopped; what began while that was done is found here. Campaigns that are being started
 * are held to it when their turn comes: to wait here for a large one would keep the limits of all others.
 */
const REACHED = sql<{ id: string }>`select a.id from account a
  where (a.monthly_limit is not null or a.suspended_at is not null)
    and exists (select 1 from campaign c where c.account_id = a.id and c.status = 'sending')
    and ${MAY_NOT_SEND}`;

type Changed = { accountId: string; campaignId: number };

/**
 * Pauses the campaigns of accounts that have reached the limit which their operator set, with the cause `limit`; people resume them when
 * the month has turned or the limit was raised. Those of suspended accounts have the cause `suspended`. Answers those it paused.
 */
export async function pauseAtLimit(db: Db): Promise<Changed[]> {
  // Asked without end and mostly for nothing: to plan the whole statement anew each time took longer than to answer it.
  if ((await executePrepared(REACHED, db)).length === 0) return [];
  const { rows } = await sql<{ id: number }>`with reached as materialized (${REACHED})
    select c.id from campaign c join reached on reached.id = c.account_id
    where c.status = 'sending' order by c.id`.execute(db);
  const paused: Changed[] = [];
  // Each by itself: with one of them in hand it must not wait for another, whose start waits for those who leave, who wait for the first.
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

/** Why the account may send no campaign now; null: it may. */
export async function whyMayNotSend(db: Db, accountId: string): Promise<"limit" | "suspended" | null> {
  const { rows } = await sql<{ cause: "limit" | "suspended" }>`
    select case when a.suspended_at is null then 'limit' else 'suspended' end as cause
    from account a where a.id = ${accountId}::uuid and ${MAY_NOT_SEND}`.execute(db);
  return rows[0]?.cause ?? null;
}

/** Throws `monthly_limit_reached` with `limit`, `used` and `renewsAt` when the account may send no more campaigns this month, and `account_suspended`. */
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
 * Looks once a second, on its own: the campaigns' clock may be busy for many seconds with starting a large one. `changed` hears which
 * screens to refresh; a fault is told and the next look comes all the same.
 */
export function watchLimits(
  db: Db,
  changed: (one: Changed) => void,
  fault: (error: unknown) => void,
): { close(): Promise<void> } {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= pauseAtLimit(db)
      .then((paused) => paused.forEach(changed), fault)
      .finally(() => {
        running = null;
      });
  }, LOOK_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
