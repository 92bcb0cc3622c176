import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { ERASED_COUNTS } from "../../db/erased-people.ts";
import type { Owner } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";
import { hasOptedOut } from "./left-out.ts";
import { begunText } from "./units.ts";

/** A person who got some of several messages gets the rest where they got those. */
const begun = (d: string) => sql.raw<boolean>(`((select parts from camp) > 1 and ${begunText(d)})`);

/**
 * SQL (phone, name, seq, vars): people whose message failed and who got it by no other run; `self` is excluded,
 * `among` filters `p`. Empty if a run was deleted: its people are unknown and could get two messages.
 */
function failuresToResend(campaignId: number, self: number | null, among: RawBuilder<unknown> = sql`true`) {
  // Skipped or unclaimed at a cancel certainly got nothing; a human's resend may have a first message that
  // arrived.
  const gotNothing = sql`not ${begun("d")} and (d.status = ${DELIVERY.error} or (d.resend_number = 0 and (
    (d.status = ${DELIVERY.skipped} and d.error = 'cancelled')
    or (run.status = 'cancelled' and d.status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and not d.ambiguous))))`;
  return sql`with recursive ${campOf(campaignId)}, ${ALL_RUNS}
    select p.phone, p.name, p.seq, p.vars from delivery p
    where p.campaign_id = ${campaignId} and p.needs_attention = ${DELIVERY.error} and ${among}
      and not ${begun("p")}
      and not exists (select 1 from run where deleted_at is not null)
      and not exists (
        select 1 from run join delivery d on d.campaign_id = run.id and d.phone = p.phone
        where run.id <> ${campaignId} and run.id is distinct from ${self}::bigint and not (${gotNothing}))`;
}

const campOf = (campaignId: number) =>
  sql`camp as (select id, resends_id, parts from campaign where id = ${campaignId})`;

/** `up`: the campaign and its originals. */
const UP = `up as (
    select id, resends_id from camp
    union all select c.id, c.resends_id from campaign c join up on c.id = up.resends_id)`;

/** `run`: `up` and all resends. */
const RUNS = `${UP},
  run as (
    select id, status, deleted_at from campaign where id in (select id from up where resends_id is null)
    union all select c.id, c.status, c.deleted_at from campaign c join run on c.resends_id = run.id)`;
const ALL_RUNS = sql.raw(RUNS);

export async function nextResend(
  db: Db,
  campaignId: number,
): Promise<{ name: string; nth: number } | undefined> {
  const { rows } = await sql<{ name: string; nth: number }>`with recursive ${campOf(campaignId)}, ${ALL_RUNS}
    select left(c.name, 100) as name, (select count(*)::int from run) as nth
    from up join campaign c on c.id = up.id where up.resends_id is null`.execute(db);
  return rows[0];
}

/** For the turn: did a returned person, surely unsent here, get it by another run? Row by row, as below. */
export const RESEND = {
  runs: RUNS,
  arrived: `(camp.resends_id is not null and not d.ambiguous and d.resend_number = 0 and (
    select 1 from run join delivery p on p.campaign_id = run.id and p.phone = d.phone
    where run.id <> camp.id and (p.status >= ${DELIVERY.sent} or ${begunText("p")}) limit 1) is not null)`,
};

/** Places in other runs, still waiting, of people who have the message; in lock order. */
export async function waitingElsewhere(
  tx: Db,
  campaignId: number,
  seqs: readonly number[],
): Promise<{ campaignId: number; seq: number }[]> {
  const { rows } = await sql<{
    campaignId: number;
    seq: number;
  }>`with recursive ${campOf(campaignId)}, ${ALL_RUNS}
    select run.id as "campaignId", d.seq
    from delivery p
      join run on run.id <> ${campaignId} and run.status in ('sending', 'paused')
      join delivery d on d.campaign_id = run.id and d.phone = p.phone
    where p.campaign_id = ${campaignId} and p.seq = any(${[...seqs]}::int[]) and (p.status >= ${DELIVERY.sent} or ${begun("p")})
      and d.resend_number = 0 and (d.status = ${DELIVERY.pending} or (d.status = ${DELIVERY.waiting} and not d.ambiguous))
    order by run.id, d.seq`.execute(tx);
  return rows;
}

/**
 * Returned, surely unsent places whose people got the message by another run. Row by row: a join could read
 * all people of all runs.
 */
export async function givenBackArrived(db: Db, campaignId: number): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`with recursive ${campOf(campaignId)}, ${ALL_RUNS},
    back as materialized (
      select seq, phone from delivery
      where campaign_id = ${campaignId} and needs_attention = ${DELIVERY.waiting} and not ambiguous and resend_number = 0)
    select back.seq from back cross join lateral (
      select 1 from run join delivery p on p.campaign_id = run.id and p.phone = back.phone
      where run.id <> ${campaignId} and (p.status >= ${DELIVERY.sent} or ${begun("p")}) limit 1) as has
    order by back.seq`.execute(db);
  return rows.map(({ seq }) => seq);
}

/**
 * Locks a campaign family: parallel starts would not see each other and send twice, and a late delivery would
 * miss people of a starting run.
 */
export async function holdResends(tx: Db, campaignId: number): Promise<void> {
  await sql`with recursive ${campOf(campaignId)}, ${sql.raw(UP)}
    select pg_advisory_xact_lock(hashtextextended('resends of ' || id, 0)) from up where resends_id is null`.execute(
    tx,
  );
}

const hasLeft = ({ accountId }: Pick<Owner, "accountId">) =>
  sql<boolean>`(p.phone < 0 or ${hasOptedOut(sql`${accountId}::uuid`, sql.ref("p.phone"))})`;

/** SQL: failures a resend would reach now, or reaches (`self`), without opt-outs. */
export const reachedByResend = (
  owner: Pick<Owner, "accountId">,
  campaignId: number,
  self: number | null = null,
) => failuresToResend(campaignId, self, sql`not ${hasLeft(owner)}`);

const KEPT = 1_000;

type Runs = {
  id: number;
  resent: boolean;
  units: boolean;
  underWay: boolean;
  print: string;
  left: string | null;
};
type Counted = Pick<Runs, "print" | "left"> & { failures: number; optedOut: number };

/**
 * Counts people a resend of each finished campaign would reach. Without resends and opt-outs it is the
 * counter `error`; else a count, cached until counters or opt-outs change, since lists must stay fast.
 */
export function resendCounter() {
  const kept = new Map<number, Counted>();
  const optedOutOf = async (owner: Owner, { id, left }: Runs, still: Counted | undefined) =>
    still?.left === left ? still.optedOut : countFailures(owner, id, hasLeft(owner));

  async function count(owner: Owner, run: Runs, errors: number): Promise<number> {
    // `createResend` would return the pending one.
    if (run.underWay) return 0;
    if (!run.resent && !run.units && run.left === null) return errors;
    const { id, print, left } = run;
    const known = kept.get(id);
    const still = known?.print === print ? known : undefined;
    const failures = run.resent || run.units ? (still?.failures ?? (await countFailures(owner, id))) : errors;
    const optedOut = left === null ? 0 : await optedOutOf(owner, run, still);
    kept.delete(id);
    kept.set(id, { print, left, failures, optedOut });
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    return failures - optedOut;
  }

  return async (
    owner: Owner,
    campaigns: readonly { id: number; error: number }[],
  ): Promise<ReadonlyMap<number, number>> => {
    const people = new Map<number, number>();
    if (campaigns.length === 0) return people;
    const errors = new Map(campaigns.map(({ id, error }) => [id, error]));
    for (const run of await findRuns(owner, [...errors.keys()]))
      people.set(run.id, await count(owner, run, errors.get(run.id) ?? 0));
    return people;
  };
}

/** Failed people who got some of a campaign's messages, by campaign; a resend leaves them out. */
export async function countUnfinished(
  { db, accountId }: Owner,
  campaignIds: readonly number[],
): Promise<Map<number, number>> {
  if (campaignIds.length === 0) return new Map();
  const { rows } = await sql<{ id: number; people: number }>`select c.id, count(*)::int as people
    from campaign c join delivery d on d.campaign_id = c.id and d.needs_attention = ${DELIVERY.error}
    where c.id = any(${[...campaignIds]}::bigint[]) and c.account_id = ${accountId}::uuid and ${sql.raw(begunText("d"))}
    group by c.id`.execute(db);
  return new Map(rows.map(({ id, people }) => [id, people]));
}

/**
 * Key of a family's state: errors only move up and only sent messages fail, so equal counters mean equal
 * places. Of a running one only failures matter.
 */
function findRuns(owner: Owner, campaignIds: number[]): Promise<Runs[]> {
  return executePrepared(
    sql<Runs>`with recursive up as (
      select id as campaign, id, resends_id from campaign
      where id = any(${campaignIds}::bigint[]) and account_id = ${owner.accountId}::uuid
      union all select up.campaign, c.id, c.resends_id from campaign c join up on c.id = up.resends_id),
    run as (
      select campaign, id from up where resends_id is null
      union all select run.campaign, c.id from campaign c join run on c.resends_id = run.id)
    select run.campaign as id, count(*) > 1 as resent, bool_or(c.parts > 1) as units,
      bool_or(coalesce(c.resends_id = run.campaign and c.status in ('starting', 'sending', 'paused'), false)) as "underWay",
      string_agg(concat_ws(':', c.id, c.status, c.deleted_at is null, c.error_count, c.skipped_count, case when c.status in ('cancelled', 'ended') then
        concat_ws(':', c.pending_count, c.waiting_count, c.uncertain_count, c.accepted_count, c.sent_count, c.delivered_count + c.read_count) end), ' ' order by c.id) as print,
      (select count(*) || ' ' || max(at) from (select created_at as at from opt_out where account_id = ${owner.accountId}::uuid
        union all select last_at from ${sql.raw(ERASED_COUNTS)} e where account_id = ${owner.accountId}::uuid) gone) as left
    from run join campaign c on c.id = run.id group by run.campaign`,
    owner.db,
  );
}

async function countFailures(owner: Owner, campaignId: number, among?: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n
    from (${failuresToResend(campaignId, null, among)}) as people`.execute(owner.db);
  return rows[0]?.n ?? 0;
}
