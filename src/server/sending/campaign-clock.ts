import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Database, Db } from "../db/client.ts";
import { executeKept } from "../db/kept.ts";
import { startNext } from "./audience.ts";
import { recordCampaigns } from "./campaign-record.ts";
import { isDue } from "./due.ts";
import { pauseAtLimit } from "./limit.ts";
import { sweepOptedOut } from "./opt-out.ts";
import { givenBackArrived } from "./resends.ts";
import { applyMoves, settle } from "./settle.ts";

/** Up to this late a scheduled campaign still starts by itself; later it would surprise people, so a human confirms. */
const LATE_LIMIT_H = 2;
/** From this late on its card says that it started late. */
const LATE_NOTICE_S = 60;
/** People of a cancelled campaign swept in one transaction: short enough to disturb nobody. */
const SWEEP = 5_000;

type Changed = { accountId: string; campaignId: number };

/** Moves every due scheduled campaign on, in one statement: those within two hours start, the others wait for a human. */
export async function startDue(db: Db): Promise<Changed[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Changed & { life: string }>`update campaign set
      life = case when scheduled_at < now() - ${LATE_LIMIT_H} * interval '1 hour' then 'paused' else 'starting' end,
      cause = case when scheduled_at < now() - ${LATE_LIMIT_H} * interval '1 hour' then 'missed' end,
      late = scheduled_at < now() - ${LATE_NOTICE_S} * interval '1 second',
      updated_at = now()
    where id in (select id from campaign where life = 'scheduled' and scheduled_at <= now() for update skip locked)
    returning account_id as "accountId", id as "campaignId", life`.execute(tx);
    const those = (life: string) => rows.filter((row) => row.life === life).map((row) => row.campaignId);
    await recordCampaigns(tx, "campaign_started", those("starting"));
    await recordCampaigns(tx, "campaign_paused", those("paused"), "missed");
    return rows.map(({ accountId, campaignId }) => ({ accountId, campaignId }));
  });
}

/** People given back of whom a last word can be said: a doubt whose time has not come is still looked for at its gateway. */
const SETTLED = sql`(not d.ambiguous or ${sql.raw(isDue("d.not_before"))})`;

/**
 * Gives the people of cancelled campaigns their last state, a batch a call. Answers what changed; call again until it is empty. Accounts
 * that are being deleted are left out: their people go without their counters, and would be looked for as long as the campaign's row is
 * there.
 */
export async function sweepCancelled(db: Db): Promise<Changed[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Changed>`select account_id as "accountId", id as "campaignId" from campaign c
      where life = 'cancelled' and exists (select 1 from account a where a.id = c.account_id and a.removed_at is null)
        and (n_pending > 0 or n_waiting > 0 and exists (
        select 1 from delivery d where d.campaign_id = c.id and d.attention = ${DELIVERY.waiting} and ${SETTLED}))
      order by id limit 20 for no key update skip locked`.execute(tx);
    const swept: Changed[] = [];
    for (const one of rows) {
      const { campaignId } = one;
      const moved = await applyMoves(
        tx,
        campaignId,
        sql`moved as (
          update delivery d set
            status = case when old.doubtful then ${DELIVERY.uncertain}::smallint else ${DELIVERY.skipped}::smallint end,
            error = case when old.doubtful then coalesce(d.error, 'interrupted') else 'cancelled' end,
            at = case when old.doubtful then coalesce(d.at, now()) else now() end
          from (select seq, status, ambiguous or generation > 0 as doubtful from delivery d
            where campaign_id = ${campaignId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and ${SETTLED}
            limit ${SWEEP}) as old
          where d.campaign_id = ${campaignId} and d.seq = old.seq
          returning old.status as was, d.status as now, d.at)`,
      );
      // Counters that say otherwise than the rows must not be believed twice.
      if (moved > 0) swept.push(one);
    }
    return swept;
  });
}

const ANY_GIVEN_BACK = sql`select where exists (
  select from campaign where resends_id is not null and life in ('sending', 'paused') and n_waiting > 0)`;

/**
 * People whose failure arrived while they were in hand in a resend, and who were given back since: nobody could spare them then. Answers the
 * campaigns that changed.
 */
async function sweepArrived(db: Db): Promise<Changed[]> {
  if ((await executeKept(ANY_GIVEN_BACK, db)).length === 0) return [];
  const { rows } = await sql<Changed>`select account_id as "accountId", id as "campaignId" from campaign
    where resends_id is not null and life in ('sending', 'paused') and n_waiting > 0 order by id`.execute(db);
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

/** Nobody is left in it, though its lane has not passed everybody. */
const EMPTIED = sql`life in ('sending', 'paused') and n_pending = 0 and n_sending = 0 and n_waiting = 0 and n_accepted = 0
  and n_skipped > 0  and cursor < total`;
const ANY_EMPTIED = sql`select where exists (select from campaign where ${EMPTIED})`;

/**
 * Ends campaigns whose last people left while they stood still: paused, or without their connection, they would do so for ever. Answers
 * which. Counters alone are not believed: whoever is still to be sent to would be lost.
 */
async function endEmptied(db: Db): Promise<Changed[]> {
  if ((await executeKept(ANY_EMPTIED, db)).length === 0) return [];
  const { rows } = await sql<Changed>`update campaign c set life = 'ended', cause = null, ended_at = now()
    where id in (select id from campaign where ${EMPTIED} order by id for no key update skip locked)
      and not exists (select from delivery d where d.campaign_id = c.id
        and d.status in (${DELIVERY.pending}, ${DELIVERY.sending}, ${DELIVERY.waiting}))
    returning account_id as "accountId", id as "campaignId"`.execute(db);
  return rows;
}

/**
 * One look at everything that waits for its time. `changed` hears which screens to refresh. A fault in one part does not keep the
 * others from being done; the first is thrown in the end.
 */
export async function tickCampaigns(database: Database, changed: (one: Changed) => void): Promise<void> {
  const { db } = database;
  const faults: unknown[] = [];
  const each = async (parts: readonly (() => Promise<void>)[]) => {
    for (const part of parts) await part().catch((error: unknown) => faults.push(error));
  };
  const starts = [
    async () => (await startDue(db)).forEach(changed),
    // Before they are started: a scheduled campaign must not send for the second until `watchLimits` looks.
    async () => (await pauseAtLimit(db)).forEach(changed),
    async () => {
      for (let one = await startNext(database); one; one = await startNext(database)) changed(one);
    },
  ];
  await each([
    ...starts,
    async () => {
      for (let some = await sweepCancelled(db); some.length > 0; some = await sweepCancelled(db)) {
        some.forEach(changed);
        // A million people take minutes: nobody's hour waits for that.
        await each(starts);
      }
    },
    async () => (await sweepOptedOut(db)).forEach(changed),
    async () => (await sweepArrived(db)).forEach(changed),
    async () => (await endEmptied(db)).forEach(changed),
  ]);
  if (faults.length > 0) throw faults[0];
}
