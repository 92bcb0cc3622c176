import { sql } from "kysely";
import type { NewChats } from "../../../domain/new-chats.ts";
import type { NumberPlan } from "../../../domain/number-plan.ts";
import type { PlanUse } from "../../../domain/plan-pace.ts";
import type { Db, Prepared } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { wakeLane } from "./signals.ts";

/** A number's plan and what was used of it; times in epoch ms by the lane's clock. */
export type StoredPlan = { plan: NumberPlan; zone: string; use: PlanUse; quota: QuotaReading };

/** `begun`: new conversations since it was read. */
export type QuotaReading = { newChats: NewChats | null; begun: number };

type PlanRow = {
  plan: NumberPlan;
  zone: string;
  lastAt: number | null;
  lastColdAt: number | null;
  inARow: number;
  restsUntil: number | null;
} & QuotaReading;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Of a connection `c`: columns of `QuotaReading`. */
export const QUOTA = `c.new_chats as "newChats", (select count(*)::int from cold_message m
      where m.connection_id = c.id and m.at >= (c.new_chats ->> 'readAt')::timestamptz) as begun`;

const FIND = `select p.plan, ${QUOTA}, (select time_zone from account where id = c.account_id) as zone,
    ${ms("p.last_at")} as "lastAt", ${ms("p.last_cold_at")} as "lastColdAt",
    p.in_a_row as "inARow", ${ms("p.rests_until")} as "restsUntil"
  from number_plan p join connection c on c.id = p.connection_id where p.connection_id = $1`;

export async function findPlan(prepared: Prepared, connectionId: number): Promise<StoredPlan | null> {
  const { rows } = await prepared<PlanRow>("number_plan", FIND, [connectionId]);
  if (!rows[0]) return null;
  const { plan, zone, newChats, begun, ...use } = rows[0];
  return { plan, zone, use, quota: { newChats, begun } };
}

/** Messages since then that began conversations. */
export async function countCold(db: Db, connectionId: number, since: number): Promise<number> {
  const { rows } = await sql<{ cold: number }>`select count(*)::int as cold from cold_message
    where connection_id = ${connectionId} and at >= to_timestamp(${since / 1000})`.execute(db);
  return rows[0]?.cold ?? 0;
}

const at = (time: number | null) => sql`to_timestamp(${time === null ? null : time / 1000}::float8)`;

/** What a message of a campaign uses; before it leaves, so that a crash never allows one more. */
export async function storeUse(db: Db, connectionId: number, use: PlanUse): Promise<void> {
  await sql`update number_plan set last_at = ${at(use.lastAt)}, last_cold_at = ${at(use.lastColdAt)},
      in_a_row = ${use.inARow}, rests_until = ${at(use.restsUntil)}
    where connection_id = ${connectionId}`.execute(db);
}

type Beginning = {
  connectionId: number;
  campaignId: number | null;
  at: number;
  dayStart: number;
  budget: number;
};

/** Counts a message that begins a conversation; null: the day's budget is used up. */
export async function beginConversation(db: Db, it: Beginning): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`insert into cold_message (connection_id, at, campaign_id)
    select p.connection_id, ${at(it.at)}, ${it.campaignId}::bigint from number_plan p
    where p.connection_id = ${it.connectionId} and (select count(*) from cold_message
      where connection_id = ${it.connectionId} and at >= ${at(it.dayStart)}) < ${it.budget}
    returning id`.execute(db);
  return rows[0]?.id ?? null;
}

/** The message surely did not leave. */
export async function takeBackBeginning(db: Db, id: number): Promise<void> {
  await sql`delete from cold_message where id = ${id}`.execute(db);
}

/** Of a number that has none. */
export async function beginPlan(db: Db, connectionId: number, plan: NumberPlan): Promise<void> {
  await sql`insert into number_plan (connection_id, plan) values (${connectionId}, ${JSON.stringify(plan)}::jsonb)
    on conflict do nothing`.execute(db);
}

const OWNED = (owner: Owner, connectionId: number) => sql`(select id from connection
  where id = ${connectionId} and account_id = ${owner.accountId}::uuid and desired <> 'removed')`;

/** Null: none. What was used stays. */
export async function storePlan(owner: Owner, connectionId: number, plan: NumberPlan | null): Promise<void> {
  if (plan === null)
    await sql`delete from number_plan where connection_id in ${OWNED(owner, connectionId)}`.execute(owner.db);
  else
    await sql`insert into number_plan (connection_id, plan)
      select id, ${JSON.stringify(plan)}::jsonb from ${OWNED(owner, connectionId)} c
      on conflict (connection_id) do update set plan = excluded.plan, updated_at = now()`.execute(owner.db);
  await wakeLane(owner.db, connectionId);
}

export type PlanReading = {
  name: string;
  number: string | null;
  zone: string;
  plan: NumberPlan | null;
  restsUntil: Date | null;
} & QuotaReading;

export async function readPlan(owner: Owner, connectionId: number): Promise<PlanReading | undefined> {
  const { rows } =
    await sql<PlanReading>`select c.name, a.time_zone as zone, p.plan, p.rests_until as "restsUntil",
      ${sql.raw(QUOTA)}, case when c.kind = 'device' then c.device_id else substring(c.pairing from '^[0-9]+(?=@)') end as number
    from connection c join account a on a.id = c.account_id left join number_plan p on p.connection_id = c.id
    where c.id in ${OWNED(owner, connectionId)}`.execute(owner.db);
  return rows[0];
}

export type PlannedNumber = { id: number; name: string; plan: NumberPlan | null };

export async function findPlans({ db, accountId }: Owner): Promise<PlannedNumber[]> {
  const { rows } = await sql<PlannedNumber>`select c.id, c.name, p.plan
    from connection c left join number_plan p on p.connection_id = c.id
    where c.account_id = ${accountId}::uuid and c.desired <> 'removed' order by c.id`.execute(db);
  return rows;
}

export type ColdDay = { day: string; cold: number };

/** New conversations by local day since then. */
export async function coldByDay(
  owner: Owner,
  connectionId: number,
  zone: string,
  since: number,
): Promise<ColdDay[]> {
  const { rows } =
    await sql<ColdDay>`select to_char(m.at at time zone ${zone}, 'YYYY-MM-DD') as day, count(*)::int as cold
    from cold_message m where m.connection_id in ${OWNED(owner, connectionId)} and m.at >= ${at(since)}
    group by 1 order by 1`.execute(owner.db);
  return rows;
}

/** `campaignId` null: single messages. Largest first. */
export async function coldByUse(owner: Owner, connectionId: number, since: number) {
  const { rows } = await sql<{
    campaignId: number | null;
    name: string | null;
    cold: number;
  }>`select m.campaign_id as "campaignId", max(c.name) as name, count(*)::int as cold
    from cold_message m left join campaign c on c.id = m.campaign_id and c.account_id = ${owner.accountId}::uuid
    where m.connection_id in ${OWNED(owner, connectionId)} and m.at >= ${at(since)}
    group by m.campaign_id order by cold desc, name`.execute(owner.db);
  return rows;
}

/** As far as a forecast goes: a campaign counts what it began. */
const KEPT_DAYS = 400;

export async function purgeCold(db: Db): Promise<void> {
  await sql`delete from cold_message where at < now() - ${KEPT_DAYS} * interval '1 day'`.execute(db);
}
