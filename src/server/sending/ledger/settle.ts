import { sql } from "kysely";
import { DELIVERY, type DeliveryCode } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { counterChanges, dayChanges, endedWhenDone, sentTimes } from "./counters.ts";
import { holdResends, waitingElsewhere } from "./resends.ts";
import { type PartMove, proveParts } from "./units.ts";

/**
 * `from`: allowed former states; without it any state below `to` (late result). `part`: only that message of
 * them; without it all of theirs.
 */
export type Move = { seq: number; to: DeliveryCode; at: Date; error?: string | null } & Partial<
  Pick<PartMove, "part" | "generation">
>;

/** States a gateway's acceptance may change; it does not undo a refusal. */
export const UNTOLD = [DELIVERY.sending, DELIVERY.waiting, DELIVERY.skipped, DELIVERY.uncertain] as const;

export type MoveOptions = {
  /** Default: any lower state, only for receipts and late results. */
  from?: readonly DeliveryCode[];
  /** Only rows last claimed under this fence; needs `from`. */
  fence?: number;
  newGeneration?: boolean;
  /** Attempts are counted from zero, under the same ids. */
  freshTries?: boolean;
};

/**
 * Moves people by results outside the turn. Locks the campaign, then rows, counters, day, in the caller's
 * transaction; idempotent in any order. Returns rows moved, 0 without campaign.
 */
export async function settle(
  tx: Db,
  campaignId: number,
  moves: readonly Move[],
  options: MoveOptions = {},
): Promise<number> {
  if (moves.length === 0) return 0;
  const { rows } = await sql<Locked>`select parts, status from campaign where id = ${campaignId}
    for no key update`.execute(tx);
  if (!rows[0]) return 0;
  if (rows[0].parts > 1) return settleUnits(tx, { id: campaignId, ...rows[0] }, moves, options);
  return settlePeople(tx, campaignId, moves, options);
}

type Locked = { parts: number; status: string };

const isOfPart = (move: Move): move is Move & PartMove => move.part !== undefined;

/** A message moves its person once all of theirs are known to be as far. */
async function settleUnits(
  tx: Db,
  { id, parts, status }: Locked & { id: number },
  moves: readonly Move[],
  options: MoveOptions,
): Promise<number> {
  const proven = await proveParts(tx, id, parts, moves.filter(isOfPart));
  const people = [...moves.filter((move) => !isOfPart(move)), ...proven.whole];
  const moved = await settlePeople(tx, id, people, options);
  if (proven.begun.length > 0) await spare(tx, id, proven.begun);
  return moved + proven.begun.length + (await continueUnits(tx, { id, status }, proven.continued));
}

/** A doubt about one message is over: the rest follows, or stays out with a campaign that is over. */
async function continueUnits(
  tx: Db,
  { id, status }: { id: number; status: string },
  seqs: readonly number[],
): Promise<number> {
  if (seqs.length === 0) return 0;
  const [to, error] =
    status === "ended"
      ? [DELIVERY.error, "incomplete"]
      : status === "cancelled"
        ? [DELIVERY.skipped, "cancelled"]
        : [DELIVERY.waiting, null];
  return applyMoves(
    tx,
    id,
    sql`old as materialized (
      select seq, status as was from delivery
      where campaign_id = ${id} and seq = any(${[...seqs]}::int[]) and phone > 0 and status in (${DELIVERY.waiting}, ${DELIVERY.uncertain})),
    moved as (
      update delivery d set status = ${to}, error = ${error}, ambiguous = false, not_before = null, tries = 0
      from old where d.campaign_id = ${id} and d.seq = old.seq
      returning old.was, d.status as now, d.at)`,
  );
}

async function settlePeople(
  tx: Db,
  campaignId: number,
  moves: readonly Move[],
  options: MoveOptions,
): Promise<number> {
  if (moves.length === 0) return 0;
  const last = latestPerSeq(moves);
  const input = sql`select seq, now, to_timestamp(at) as at, error
    from jsonb_to_recordset(${JSON.stringify(last)}::jsonb) as t(seq int, now smallint, at float8, error text)`;
  const fenced = options.fence === undefined ? sql`` : sql` and d.fence = ${options.fence}`;
  const allowed = options.from
    ? sql`d.status = any(${[...options.from]}::smallint[])${fenced}`
    : sql`d.status < input.now`;
  const fresh = options.newGeneration || options.freshTries ? sql`, ambiguous = false, tries = 0` : sql``;
  const renewed = options.newGeneration ? sql`${fresh}, resend_number = d.resend_number + 1` : fresh;
  // The sent time places it in the chat: later results must not move it.
  const sentAt = sql`case when old.was >= ${DELIVERY.accepted} then d.at else coalesce(input.at, d.at) end`;
  // Separate statement after the lock: sees the previous turn's commit.
  const { moved, madeUp } = await move(
    tx,
    campaignId,
    sql`input as (${input}),
    old as materialized (
      select d.seq, d.status as was from delivery d join input on input.seq = d.seq where d.campaign_id = ${campaignId} and ${allowed}),
    moved as (
      update delivery d set status = input.now, at = ${sentAt}, error = input.error, not_before = null ${renewed}
      from input join old on old.seq = input.seq
      where d.campaign_id = ${campaignId} and d.seq = input.seq
      returning old.was, d.status as now, d.at)`,
  );
  if (madeUp > 0)
    await spare(
      tx,
      campaignId,
      last.map(({ seq }) => seq),
    );
  return moved;
}

/** A failure that arrived after all must not get a resend. */
async function spare(tx: Db, campaignId: number, seqs: readonly number[]): Promise<void> {
  // A starting resend may have read the failure; its people are not visible yet.
  await holdResends(tx, campaignId);
  for (const { campaignId: resend, seq } of await waitingElsewhere(tx, campaignId, seqs))
    await settle(tx, resend, [{ seq, to: DELIVERY.skipped, at: new Date(), error: "arrived" }], {
      from: [DELIVERY.pending, DELIVERY.waiting],
    });
}

/** Doubts go to a human with the attempt's time; needs the campaign locked. */
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

/** A statement updates a row once: only the furthest receipt counts. */
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
 * Runs the CTEs (the last `moved`: was, now, at) and updates counters, day and status. Needs the campaign
 * locked; returns the row count.
 */
export async function applyMoves(tx: Db, campaignId: number, ctes: ReturnType<typeof sql>): Promise<number> {
  return (await move(tx, campaignId, ctes)).moved;
}

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
