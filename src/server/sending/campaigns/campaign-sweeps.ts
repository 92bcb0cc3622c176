import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { isDue } from "../ledger/due.ts";
import { givenBackArrived } from "../ledger/resends.ts";
import { applyMoves, settle } from "../ledger/settle.ts";

const SWEEP = 5_000;

export type Changed = { accountId: string; campaignId: number };

async function accountsWith(db: Db, which: RawBuilder<unknown>): Promise<string[]> {
  // Runs every second, mostly without result: planning each time would take longer than the query.
  const rows = await executePrepared(
    sql<{
      id: string;
    }>`select account_id as id from campaign c where ${which} group by account_id order by min(c.id)`,
    db,
  );
  return rows.map(({ id }) => id);
}

const ofAccount = (accountId: string | undefined) =>
  accountId === undefined ? sql`` : sql`and c.account_id = ${accountId}::uuid`;

/**
 * Returned people that can get a final state: a doubt before its time is still searched for at its gateway.
 */
const SETTLED = sql`(not d.ambiguous or ${sql.raw(isDue("d.not_before"))})`;

/**
 * Without accounts being deleted: their people go without counter changes and would be found as long as the
 * campaign row exists.
 */
const CANCELLED = sql`c.status = 'cancelled' and exists (select 1 from account a where a.id = c.account_id and a.removed_at is null)
  and (c.pending_count > 0 or c.waiting_count > 0 and exists (
    select 1 from delivery d where d.campaign_id = c.id and d.needs_attention = ${DELIVERY.waiting} and ${SETTLED}))`;

export const accountsWithCancelled = (db: Db): Promise<string[]> => accountsWith(db, CANCELLED);

/** One batch per call; repeat until the result is empty. */
export async function sweepCancelled(db: Db, accountId?: string): Promise<Changed[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Changed>`select account_id as "accountId", id as "campaignId" from campaign c
      where ${CANCELLED} ${ofAccount(accountId)} order by id limit 20 for no key update skip locked`.execute(
      tx,
    );
    const swept: Changed[] = [];
    let left = SWEEP;
    for (const one of rows) {
      if (left <= 0) break;
      const { campaignId } = one;
      const moved = await applyMoves(
        tx,
        campaignId,
        sql`moved as (
          update delivery d set
            status = case when old.doubtful then ${DELIVERY.uncertain}::smallint else ${DELIVERY.skipped}::smallint end,
            error = case when old.doubtful then coalesce(d.error, 'interrupted') else 'cancelled' end,
            at = case when old.doubtful then coalesce(d.at, now()) else now() end
          -- Joined by ctid: without statistics a join by seq searched the whole campaign for each row.
          from (select ctid, status, ambiguous or resend_number > 0 as doubtful from delivery d
            where campaign_id = ${campaignId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and ${SETTLED}
            limit ${left}) as old
          where d.campaign_id = ${campaignId} and d.ctid = old.ctid
          returning old.status as was, d.status as now, d.at)`,
      );
      left -= moved;
      // Wrong counters must not cause a second sweep.
      if (moved > 0) swept.push(one);
    }
    return swept;
  });
}

const GIVEN_BACK = sql`c.resends_id is not null and c.status in ('sending', 'paused') and c.waiting_count > 0`;

export const accountsWithGivenBack = (db: Db): Promise<string[]> => accountsWith(db, GIVEN_BACK);

/**
 * Skips people of a resend who got the message while claimed and were returned since. Returns changed
 * campaigns.
 */
export async function sweepArrived(db: Db, accountId: string): Promise<Changed[]> {
  const { rows } = await sql<Changed>`select account_id as "accountId", id as "campaignId" from campaign c
    where ${GIVEN_BACK} ${ofAccount(accountId)} order by id`.execute(db);
  const swept: Changed[] = [];
  for (const one of rows) {
    const { campaignId } = one;
    if ((await givenBackArrived(db, campaignId)).length === 0) continue;
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
      const at = new Date();
      const seqs = await givenBackArrived(tx, campaignId);
      const moves = seqs.map((seq) => ({ seq, to: DELIVERY.skipped, at, error: "arrived" }));
      await settle(tx, campaignId, moves, { from: [DELIVERY.waiting] });
    });
    swept.push(one);
  }
  return swept;
}

const EMPTIED = sql`c.status in ('sending', 'paused') and c.pending_count = 0 and c.sending_count = 0 and c.waiting_count = 0 and c.accepted_count = 0
  and c.skipped_count > 0 and c.cursor < c.total`;

export const accountsWithEmptied = (db: Db): Promise<string[]> => accountsWith(db, EMPTIED);

/**
 * Ends stopped campaigns whose last people opted out; otherwise they stay paused for ever. Rows are checked
 * besides counters, or people still to be sent to could be lost.
 */
export async function endEmptied(db: Db, accountId: string): Promise<Changed[]> {
  const { rows } =
    await sql<Changed>`update campaign e set status = 'ended', pause_reason = null, ended_at = now()
    where id in (select c.id from campaign c where ${EMPTIED} ${ofAccount(accountId)} order by c.id for no key update skip locked)
      and not exists (select from delivery d where d.campaign_id = e.id
        and d.status in (${DELIVERY.pending}, ${DELIVERY.sending}, ${DELIVERY.waiting}))
    returning account_id as "accountId", id as "campaignId"`.execute(db);
  return rows;
}

const WAITS = sql`c.status in ('sending', 'paused') and c.waiting_count > 0`;

export const accountsWithWaiting = (db: Db): Promise<string[]> => accountsWith(db, WAITS);
