import { type RawBuilder, sql } from "kysely";
import { DELIVERY, type DeliveryCode } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";

/*
 * A unit: the messages that one person gets of a campaign of several parts. `delivery` has its state as a whole,
 * `delivery_part` a row for each message that left, but for the last of a unit that left whole.
 */

/** One message of a unit, proven by an answer, a receipt or a found message. */
export type PartMove = { seq: number; part: number; to: DeliveryCode; at: Date; generation?: number };

const LEFT = sql.lit(DELIVERY.accepted);

/** SQL: how many of the messages of campaign `c` left to its person `d`; of one message, whether it did. */
export const PARTS_SENT = sql<number>`(case when d.status >= ${LEFT} then c.parts when c.parts = 1 then 0 else (
  select count(*)::int from delivery_part p where p.campaign_id = d.campaign_id and p.seq = d.seq and p.status >= ${LEFT}) end)`;

/** SQL as text: a message of row `d` of `delivery` left. */
export const begunText = (d: string): string =>
  `exists (select from delivery_part b where b.campaign_id = ${d}.campaign_id and b.seq = ${d}.seq and b.status >= ${DELIVERY.accepted})`;

/** SQL: the first message of row `d` that has not left; 0 in campaigns of one part. */
export const firstLeft = (
  parts: RawBuilder<unknown>,
  d: string,
) => sql<number>`(case when ${parts} = 1 then 0 else (
  select min(n) from generate_series(0, ${parts} - 1) n where not exists (
    select from delivery_part p where p.campaign_id = ${sql.ref(`${d}.campaign_id`)} and p.seq = ${sql.ref(`${d}.seq`)} and p.part = n
      and p.status >= ${LEFT})) end)`;

const SENT = `select part, resend_number as generation from delivery_part
  where campaign_id = $1 and seq = $2 and status >= ${DELIVERY.accepted}`;

/** Messages that left, each with the resend number under which it did. */
export async function findSentParts(
  prepared: Prepared,
  campaignId: number,
  seq: number,
): Promise<Map<number, number>> {
  const { rows } = await prepared<{ part: number; generation: number }>("sent_parts", SENT, [
    campaignId,
    seq,
  ]);
  return new Map(rows.map(({ part, generation }) => [part, generation]));
}

/** The row before its parts, as `settle` locks them. What left is true under any fence. */
const RECORD = `with person as (
    update delivery set not_before = null, ambiguous = false, tries = 0
    where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3 returning seq),
  held as materialized (select count(*) as rows from person),
  part as (
    insert into delivery_part as p (campaign_id, seq, part, status, resend_number, at)
    select $1, $2, $4, $5, $6, to_timestamp($7) from held
    where exists (select from delivery where campaign_id = $1 and seq = $2)
    on conflict (campaign_id, seq, part) do update set status = greatest(p.status, excluded.status))
  select rows = 1 as ours from held`;

export type SentPart = { campaignId: number; seq: number; part: number; generation: number; at: number };

/** Commits that a message left, before the next is written. False: the person is claimed by another owner. */
export async function recordPart(
  prepared: Prepared,
  fence: number,
  { campaignId, seq, part, generation, at }: SentPart,
  to: "sent" | "accepted",
): Promise<boolean> {
  const values = [campaignId, seq, fence, part, DELIVERY[to], generation, at / 1000];
  const { rows } = await prepared<{ ours: boolean }>("record_part", RECORD, values);
  return rows[0]?.ours ?? false;
}

type Before = { seq: number; status: number; ambiguous: boolean; generation: number; parts: number[] };

/** What parts prove of people: states of whole units, doubts that are over, failures that arrived in part. */
export type Proven = {
  whole: { seq: number; to: DeliveryCode; at: Date }[];
  continued: number[];
  begun: number[];
};

/** Records messages of units; needs the campaign locked. `parts`: of the campaign. */
export async function proveParts(
  tx: Db,
  campaignId: number,
  parts: number,
  moves: readonly PartMove[],
): Promise<Proven> {
  const proven: Proven = { whole: [], continued: [], begun: [] };
  const seqs = [...new Set(moves.map(({ seq }) => seq))];
  const before = await lockUnits(tx, campaignId, seqs);
  await storeMoves(tx, campaignId, moves);
  for (const row of await readUnits(tx, campaignId, seqs)) {
    const was = before.get(row.seq);
    if (!was) continue;
    const sent = row.parts.filter((status) => status >= DELIVERY.accepted);
    if (sent.length === parts)
      proven.whole.push({ seq: row.seq, to: Math.min(...sent) as DeliveryCode, at: latest(moves, row.seq) });
    else if (sent.length > was.parts.filter((status) => status >= DELIVERY.accepted).length) {
      if (isDoubt(was)) proven.continued.push(row.seq);
      if (was.status === DELIVERY.error) proven.begun.push(row.seq);
    }
  }
  return proven;
}

const isDoubt = ({ status, ambiguous }: Before) =>
  status === DELIVERY.uncertain || (status === DELIVERY.waiting && ambiguous);

const latest = (moves: readonly PartMove[], of: number): Date =>
  new Date(Math.max(...moves.filter(({ seq }) => seq === of).map(({ at }) => at.getTime())));

async function lockUnits(tx: Db, campaignId: number, seqs: readonly number[]): Promise<Map<number, Before>> {
  await sql`select from delivery where campaign_id = ${campaignId} and seq = any(${[...seqs]}::int[])
    order by seq for no key update`.execute(tx);
  return new Map((await readUnits(tx, campaignId, seqs)).map((row) => [row.seq, row]));
}

async function readUnits(tx: Db, campaignId: number, seqs: readonly number[]): Promise<Before[]> {
  const { rows } =
    await sql<Before>`select d.seq, d.status, d.ambiguous, d.resend_number as generation, to_json(array(
      select p.status from delivery_part p where p.campaign_id = d.campaign_id and p.seq = d.seq order by p.part)) as parts
    from delivery d where d.campaign_id = ${campaignId} and d.seq = any(${[...seqs]}::int[])`.execute(tx);
  return rows;
}

async function storeMoves(tx: Db, campaignId: number, moves: readonly PartMove[]): Promise<void> {
  const furthest = new Map<string, PartMove>();
  for (const move of moves) {
    const key = `${move.seq} ${move.part}`;
    if ((furthest.get(key)?.to ?? -1) < move.to) furthest.set(key, move);
  }
  const input = [...furthest.values()].map(({ seq, part, to, at, generation }) => ({
    seq,
    part,
    status: to,
    generation: generation ?? null,
    at: at.getTime() / 1000,
  }));
  await sql`insert into delivery_part as p (campaign_id, seq, part, status, resend_number, at)
    select ${campaignId}, d.seq, t.part, t.status, coalesce(t.generation, d.resend_number), to_timestamp(t.at)
    from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as t(seq int, part smallint, status smallint, generation smallint, at float8)
      join delivery d on d.campaign_id = ${campaignId} and d.seq = t.seq
    on conflict (campaign_id, seq, part) do update set status = excluded.status where p.status < excluded.status`.execute(
    tx,
  );
}

export type RefusedPart = { seq: number; part: number };

/**
 * Messages of units were refused after they had left. `whole`: of people who had got all, the last of which has
 * no row by now.
 */
export async function refuseParts(
  tx: Db,
  campaignId: number,
  parts: number,
  refused: readonly (RefusedPart & { whole: boolean })[],
): Promise<void> {
  if (parts === 1 || refused.length === 0) return;
  const whole = refused.flatMap((one) => (one.whole ? one.seq : []));
  await sql`insert into delivery_part (campaign_id, seq, part, status, resend_number, at)
    select campaign_id, seq, n, ${LEFT}, resend_number, at
    from delivery cross join generate_series(0, ${parts}::int - 1) n
    where campaign_id = ${campaignId} and seq = any(${whole}::int[])
    on conflict do nothing`.execute(tx);
  const input = JSON.stringify(refused.map(({ seq, part }) => ({ seq, part })));
  await sql`update delivery_part p set status = ${DELIVERY.error}
    from jsonb_to_recordset(${input}::jsonb) as t(seq int, part smallint)
    where p.campaign_id = ${campaignId} and p.seq = t.seq and p.part = t.part and p.status < ${DELIVERY.delivered}`.execute(
    tx,
  );
}
