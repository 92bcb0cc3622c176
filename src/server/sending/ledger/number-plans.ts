import { sql } from "kysely";
import type { NumberPlan } from "../../../domain/number-plan.ts";
import type { PlanUse } from "../../../domain/plan-pace.ts";
import type { Db, Prepared } from "../../db/client.ts";

/** A number's plan and what was used of it; times in epoch ms by the lane's clock. */
export type StoredPlan = { plan: NumberPlan; zone: string; use: PlanUse };

type PlanRow = {
  plan: NumberPlan;
  zone: string;
  lastAt: number | null;
  lastColdAt: number | null;
  inARow: number;
  restsUntil: number | null;
};

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const FIND = `select p.plan, (select time_zone from account where id =
    (select account_id from connection where id = p.connection_id)) as zone,
    ${ms("p.last_at")} as "lastAt", ${ms("p.last_cold_at")} as "lastColdAt",
    p.in_a_row as "inARow", ${ms("p.rests_until")} as "restsUntil"
  from number_plan p where p.connection_id = $1`;

export async function findPlan(prepared: Prepared, connectionId: number): Promise<StoredPlan | null> {
  const { rows } = await prepared<PlanRow>("number_plan", FIND, [connectionId]);
  if (!rows[0]) return null;
  const { plan, zone, ...use } = rows[0];
  return { plan, zone, use };
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
