import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { isDue } from "../ledger/due.ts";
import { givenBackArrived } from "../ledger/resends.ts";
import { applyMoves, settle } from "../ledger/settle.ts";

/** People of cancelled campaigns swept in one transaction: short enough to disturb no other work. */
const SWEEP = 5_000;

export type Changed = { accountId: string; campaignId: number };

/** Accounts with campaigns (`c`) of which this is true, the oldest campaign first. */
async function accountsWith(db: Db, which: RawBuilder<unknown>): Promise<string[]> {
  // Asked every second and mostly for nothing: planning it each time would take longer than the answer.
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

/** People given back of whom a last word can be said: a doubt whose time has not come is still looked for at its gateway. */
const SETTLED = sql`(not d.ambiguous or ${sql.raw(isDue("d.not_before"))})`;

/**
 * Accounts that are being deleted are left out: their people go without their counters, and would be looked for as long as the campaign's row
 * is there.
 */
const CANCELLED = sql`c.status = 'cancelled' and exists (select 1 from account a where a.id = c.account_id and a.removed_at is null)
  and (c.pending_count > 0 or c.waiting_count > 0 and exists (
    select 1 from delivery d where d.campaign_id = c.id and d.needs_attention = ${DELIVERY.waiting} and ${SETTLED}))`;

export const accountsWithCancelled = (db: Db): Promise<string[]> => accountsWith(db, CANCELLED);

/**
 * Gives the people of cancelled campaigns, of all accounts or of one, their last state, a batch a call. Answers what changed; call again
 * until it is empty.
 */
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
          -- By place: joined by number, on a table that nothing was counted of yet, each row was looked for among all of the campaign.
          from (select ctid, status, ambiguous or resend_number > 0 as doubtful from delivery d
            where campaign_id = ${campaignId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and ${SETTLED}
            limit ${left}) as old
          where d.campaign_id = ${campaignId} and d.ctid = old.ctid
          returning old.status as was, d.status as now, d.at)`,
      );
      left -= moved;
      // Counters that say otherwise than the rows must not be believed twice.
      if (moved > 0) swept.push(one);
    }
    return swept;
  });
}

const GIVEN_BACK = sql`c.resends_id is not null and c.status in ('sending', 'paused') and c.waiting_count > 0`;

export const accountsWithGivenBack = (db: Db): Promise<string[]> => accountsWith(db, GIVEN_BACK);

/**
 * People whose failure arrived while they were in hand in a resend, and who were given back since: they could not be spared then. Answers the
 * campaigns that changed.
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

/** No person is left in it, though its lane has not passed them all. */
const EMPTIED = sql`c.status in ('sending', 'paused') and c.pending_count = 0 and c.sending_count = 0 and c.waiting_count = 0 and c.accepted_count = 0
  and c.skipped_count > 0 and c.cursor < c.total`;

export const accountsWithEmptied = (db: Db): Promise<string[]> => accountsWith(db, EMPTIED);

/**
 * Ends campaigns whose last people left while they stood still: paused, or without their connection, they would do so for ever. Counters
 * alone are not believed: people who are still to be sent to would be lost.
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

/** Accounts of whose people some may have left since they were given back. */
export const accountsWithWaiting = (db: Db): Promise<string[]> => accountsWith(db, WAITS);
