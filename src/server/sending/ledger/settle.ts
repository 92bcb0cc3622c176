import { sql } from "kysely";
import { DELIVERY, type DeliveryCode } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { counterChanges, dayChanges, endedWhenDone, sentTimes } from "./counters.ts";
import { holdResends, waitingElsewhere } from "./resends.ts";

/** A change of one person's state: `from` lists the states it may come from, or is left out for late truth (any state below `to`). */
export type Move = { seq: number; to: DeliveryCode; at: Date; error?: string | null };

/** Of whose message nothing is known yet: where a gateway's word that it took the message may move a row from. It takes back no refusal. */
export const UNTOLD = [DELIVERY.sending, DELIVERY.waiting, DELIVERY.skipped, DELIVERY.uncertain] as const;

export type MoveOptions = {
  /** States a row may come from; left out: any below the new one, which is the rule for receipts and late truth alone. */
  from?: readonly DeliveryCode[];
  /** Only rows that were last handed out under this fence; told with `from`. */
  fence?: number;
  /** For a person whom a human decided to send to again under a new id: a new message, of which nothing is in doubt yet. */
  newGeneration?: boolean;
};

/**
 * Moves people by what became known otherwise than by the turn: receipts, webhooks, people's decisions, a stale owner's outcomes.
 * Locks the campaign first, then moves rows, then counters and day, in the caller's transaction. Safe to repeat and in any order:
 * a row that is already there or further does not move. Returns how many rows moved; 0 for a campaign that does not exist.
 */
export async function settle(
  tx: Db,
  campaignId: number,
  moves: readonly Move[],
  options: MoveOptions = {},
): Promise<number> {
  if (moves.length === 0) return 0;
  const locked = await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
  if (locked.rows.length === 0) return 0;
  const last = latestPerSeq(moves);
  const told = sql`select seq, now, to_timestamp(at) as at, error
    from jsonb_to_recordset(${JSON.stringify(last)}::jsonb) as t(seq int, now smallint, at float8, error text)`;
  const fenced = options.fence === undefined ? sql`` : sql` and d.fence = ${options.fence}`;
  const allowed = options.from
    ? sql`d.status = any(${[...options.from]}::smallint[])${fenced}`
    : sql`d.status < told.now`;
  const renewed = options.newGeneration
    ? sql`, resend_number = d.resend_number + 1, ambiguous = false, tries = 0`
    : sql``;
  // When it was sent is shown as such, and tells its place in the chat: what is heard of it afterwards does not move that.
  const sentAt = sql`case when old.was >= ${DELIVERY.accepted} then d.at else coalesce(told.at, d.at) end`;
  // A statement of its own after the lock: its snapshot sees whatever the turn before us committed.
  const { moved, madeUp } = await move(
    tx,
    campaignId,
    sql`told as (${told}),
    old as materialized (
      select d.seq, d.status as was from delivery d join told on told.seq = d.seq where d.campaign_id = ${campaignId} and ${allowed}),
    moved as (
      update delivery d set status = told.now, at = ${sentAt}, error = told.error, not_before = null ${renewed}
      from told join old on old.seq = told.seq
      where d.campaign_id = ${campaignId} and d.seq = told.seq
      returning old.was, d.status as now, d.at)`,
  );
  if (madeUp > 0) await spare(tx, campaignId, last);
  return moved;
}

/** Whose failure turns out to have arrived gets no second message of a resend that still waits to write to them. */
async function spare(tx: Db, campaignId: number, told: readonly { seq: number }[]): Promise<void> {
  // One that is being given its people may have read the failure, and nobody else sees its people yet.
  await holdResends(tx, campaignId);
  const seqs = told.map(({ seq }) => seq);
  for (const { campaignId: resend, seq } of await waitingElsewhere(tx, campaignId, seqs))
    await settle(tx, resend, [{ seq, to: DELIVERY.skipped, at: new Date(), error: "arrived" }], {
      from: [DELIVERY.pending, DELIVERY.waiting],
    });
}

/** Everyone in doubt who waits to be sent to again is left to a human, with the time of the try. The campaign must be locked already. */
export async function showDoubts(tx: Db, campaignId: number, reason: string): Promise<void> {
  await applyMoves(
    tx,
    campaignId,
    sql`moved as (
      update delivery d set status = ${DELIVERY.uncertain}, error = ${reason}, at = coalesce(d.at, now())
      where d.campaign_id = ${campaignId} and d.needs_attention = ${DELIVERY.waiting} and d.ambiguous
      returning ${DELIVERY.waiting}::smallint as was, d.status as now, d.at)`,
  );
}

/** Several receipts of one message in one batch: only the furthest counts, for a row can be updated once in a statement. */
function latestPerSeq(moves: readonly Move[]) {
  const bySeq = new Map<number, Move>();
  for (const move of moves) {
    const known = bySeq.get(move.seq);
    if (!known || known.to < move.to) bySeq.set(move.seq, move);
  }
  return [...bySeq.values()].map((move) => ({
    seq: move.seq,
    now: move.to,
    at: move.at.getTime() / 1000,
    error: move.error ?? null,
  }));
}

/**
 * Runs the CTEs given (the last is named `moved`, columns was, now, at) and moves counters, day and life along. The campaign must be
 * locked already. Returns the number of rows in `moved`.
 */
export async function applyMoves(tx: Db, campaignId: number, ctes: ReturnType<typeof sql>): Promise<number> {
  return (await move(tx, campaignId, ctes)).moved;
}

/** `madeUp`: how many of those who moved had failed, and have got the message after all. */
async function move(
  tx: Db,
  campaignId: number,
  ctes: ReturnType<typeof sql>,
): Promise<{ moved: number; madeUp: number }> {
  const delta = (state: number) =>
    `(select count(*) filter (where now = ${state}) - count(*) filter (where was = ${state}) from moved)`;
  const sending = `(c.sending_count + ${delta(DELIVERY.sending)})`;
  const waiting = `(c.waiting_count + ${delta(DELIVERY.waiting)})`;
  const accepted = `(c.accepted_count + ${delta(DELIVERY.accepted)})`;
  const { rows } = await sql<{ moved: number; madeUp: number }>`with ${ctes},
    camp as (select id, zone from campaign where id = ${campaignId}),
    k as (
      update campaign c set ${sql.raw(counterChanges("moved"))},
        ${sql.raw(sentTimes("moved"))},
        ${sql.raw(endedWhenDone("c.cursor", { sending, waiting, accepted }))}
      where c.id = ${campaignId} and exists (select 1 from moved)),
    d as (${sql.raw(dayChanges("moved", "camp"))})
    select count(*)::int as moved,
      (count(*) filter (where was = ${sql.lit(DELIVERY.error)} and now >= ${sql.lit(DELIVERY.sent)}))::int as "madeUp"
    from moved`.execute(tx);
  return rows[0] ?? { moved: 0, madeUp: 0 };
}
