import { type RawBuilder, sql } from "kysely";
import {
  BREAKER_WINDOW,
  type BreakerFigures,
  type BreakerVerdict,
  breakerFailure,
  breakerVerdict,
  CANARY_PEOPLE,
  CANARY_WAIT_MS,
} from "../../../domain/breaker.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { repeat } from "../../base/repeat.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { readIncidents } from "../ledger/number-incidents.ts";
import { wakeLane } from "../ledger/signals.ts";

const LOOK_MS = 5_000;

/** A fast campaign sends as many in 15 minutes. */
const LOOK_BACK = 5_000;

type Changed = { accountId: string; campaignId: number };
type Stop = { cause: string; breaker: Omit<BreakerVerdict, "failure"> | null };
type Judged = BreakerFigures & { id: number; canary: boolean };

const ANY = sql`select where exists (
  select from number_plan p join campaign c on c.connection_id = p.connection_id where c.status = 'sending')`;

const END = sql`greatest(c.cursor, c.claimed_to)`;
const SETTLED = sql`now() - ${CANARY_WAIT_MS} * interval '1 millisecond'`;

const latest = (least: number, which: RawBuilder<unknown>, size: number) => sql`(
  select d.status, d.error, d.phone, d.at from delivery d
  where d.campaign_id = c.id and d.seq < least(${END}, c.claims_to) and d.seq >= ${END} - ${LOOK_BACK}
    and d.status >= ${sql.lit(least)} and d.at > coalesce(c.judged_from, '-infinity') and ${which}
  order by d.seq desc limit ${sql.lit(size)}) d`;

const LEFT = sql`exists (select from opt_out o where o.account_id = c.account_id and o.phone = d.phone
  and o.source in ('reply', 'asked') and o.created_at >= d.at)`;

function figuresOf(canary: boolean, among: RawBuilder<unknown>) {
  const size = canary ? CANARY_PEOPLE : BREAKER_WINDOW;
  const failed = sql`d.status = ${sql.lit(DELIVERY.error)} and d.error`;
  const handed = sql.lit(DELIVERY.accepted);
  const open = canary
    ? sql`c.claims_to is not null and c.cursor >= c.claims_to and c.sending_count = 0 and c.waiting_count = 0`
    : sql`c.claims_to is null`;
  return sql<Judged>`select c.id, ${canary}::boolean as canary, o.*, h.handed, h.undelivered
    from number_plan p join campaign c on c.connection_id = p.connection_id
    cross join lateral (
      select count(*)::int as judged, (count(*) filter (where ${failed} = 'not_on_whatsapp'))::int as absent,
        (count(*) filter (where ${failed} is distinct from 'not_on_whatsapp'))::int as refused,
        (count(*) filter (where d.status >= ${handed} and ${LEFT}))::int as leaving
      from ${latest(DELIVERY.uncertain, sql`true`, size)}) o
    cross join lateral (
      select count(*)::int as handed, (count(*) filter (where d.status < ${sql.lit(DELIVERY.delivered)}))::int as undelivered,
        max(d.at) filter (where d.status < ${sql.lit(DELIVERY.delivered)}) as awaited
      from ${latest(DELIVERY.accepted, canary ? sql`true` : sql`d.at <= ${SETTLED}`, size)}) h
    where c.status = 'sending' and ${open} and ${among}
      ${canary ? sql`and (h.awaited is null or h.awaited <= ${SETTLED})` : sql``}
    order by c.id`;
}

const verdictOf = ({ canary, ...figures }: Judged) => breakerVerdict(figures, canary ? 1 : BREAKER_WINDOW);

async function judge(db: Db, canary: boolean): Promise<Changed[]> {
  const { rows } = await figuresOf(canary, sql`true`).execute(db);
  const changed: Changed[] = [];
  for (const { id } of rows.filter((row) => canary || verdictOf(row)))
    changed.push(...(await db.transaction().execute((tx) => judgeOne(tx, id, canary))));
  return changed;
}

async function judgeOne(tx: Db, campaignId: number, canary: boolean): Promise<Changed[]> {
  await sql`select from campaign where id = ${campaignId} for no key update`.execute(tx);
  // Judged again after the lock: a receipt may have come.
  const { rows } = await figuresOf(canary, sql`c.id = ${campaignId}`).execute(tx);
  const figures = rows[0];
  if (!figures) return [];
  const verdict = verdictOf(figures);
  if (!verdict) return canary ? release(tx, campaignId) : [];
  const { failure, ...breaker } = verdict;
  return stop(tx, campaignId, { cause: `breaker_${failure}`, breaker });
}

async function release(tx: Db, campaignId: number): Promise<Changed[]> {
  return change(tx, sql`update campaign c set claims_to = null where id = ${campaignId}`);
}

async function stop(tx: Db, campaignId: number, { cause, breaker }: Stop): Promise<Changed[]> {
  const changed = await change(
    tx,
    sql`update campaign c set status = 'paused', pause_reason = ${cause}, updated_at = now(),
      breaker = ${breaker && JSON.stringify(breaker)}::jsonb
    where id = ${campaignId} and status = 'sending'`,
  );
  if (changed.length > 0) await recordCampaigns(tx, "campaign_paused", [campaignId], cause);
  return changed;
}

async function change(tx: Db, update: RawBuilder<unknown>): Promise<Changed[]> {
  const { rows } = await sql<Changed & { connectionId: number | null }>`${update}
    returning c.account_id as "accountId", c.id as "campaignId", c.connection_id as "connectionId"`.execute(
    tx,
  );
  for (const { connectionId } of rows) if (connectionId !== null) await wakeLane(tx, connectionId);
  return rows.map(({ accountId, campaignId }) => ({ accountId, campaignId }));
}

async function stopOfNumbers(db: Db): Promise<Changed[]> {
  const { rows } = await sql<{ id: number; cause: string }>`
    select distinct on (c.id) c.id, i.cause from number_incident i join campaign c on c.connection_id = i.connection_id
    where i.read_at is null and i.cause <> 'timelocked' and c.status = 'sending' order by c.id, i.at desc`.execute(
    db,
  );
  const stopped: Changed[] = [];
  for (const { id, cause } of rows)
    stopped.push(...(await db.transaction().execute((tx) => stop(tx, id, { cause, breaker: null }))));
  return stopped;
}

/** Stops harmful campaigns of planned numbers; releases those whose first people got it. */
export async function judgeCampaigns(db: Db): Promise<Changed[]> {
  if ((await executePrepared(ANY, db)).length === 0) return [];
  return [...(await stopOfNumbers(db)), ...(await judge(db, true)), ...(await judge(db, false))];
}

/** Otherwise the same people would stop it again. */
export async function acceptStop(
  tx: Db,
  campaignId: number,
  { cause, connectionId }: { cause: string | null; connectionId: number | null },
): Promise<void> {
  if (breakerFailure(cause) !== null)
    await sql`update campaign set claims_to = null, judged_from = now(), breaker = null where id = ${campaignId}`.execute(
      tx,
    );
  else if (connectionId !== null) await readIncidents(tx, connectionId);
}

export function watchBreaker(
  db: Db,
  changed: (one: Changed) => void,
  failed: (error: unknown) => void,
): { close(): Promise<void> } {
  return repeat(LOOK_MS, async () => (await judgeCampaigns(db)).forEach(changed), failed);
}
