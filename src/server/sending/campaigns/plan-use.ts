import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { NumberPlan } from "../../../domain/number-plan.ts";
import type { Owner } from "../../db/owner.ts";
import { recentTalk } from "../ledger/known-conversations.ts";

type People = { all: number; cold: number };

/** What a number's plan and its use are; times in epoch ms. */
export type NumberUse = {
  plan: NumberPlan;
  zone: string;
  use: { lastAt: number | null; lastColdAt: number | null; inARow: number; restsUntil: number | null };
  coldToday: number;
  /** People without an outcome in other campaigns that use the number now. */
  others: People;
};

/** Column `use` of `PLAN_USE`; `own`: people of the campaign. */
export type CampaignPlanUse = NumberUse & { own: People };

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const left = (c: string) => `(${c}.pending_count + ${c}.sending_count + ${c}.waiting_count)`;
const coldLeft = (c: string) => `greatest(0, least(${left(c)}, coalesce(${c}.cold_people, ${left(c)})
  - (select count(*) from cold_message m where m.campaign_id = ${c}.id)))`;

const numberUse = (except: string) => `'plan', p.plan, 'zone', a.time_zone,
  'use', jsonb_build_object('lastAt', ${ms("p.last_at")}, 'lastColdAt', ${ms("p.last_cold_at")},
    'inARow', p.in_a_row, 'restsUntil', ${ms("p.rests_until")}),
  'coldToday', (select count(*) from cold_message m where m.connection_id = p.connection_id
    and m.at >= date_trunc('day', now() at time zone a.time_zone) at time zone a.time_zone),
  'others', (select jsonb_build_object('all', coalesce(sum(${left("o")}), 0), 'cold', coalesce(sum(${coldLeft("o")}), 0))
    from campaign o where o.connection_id = p.connection_id and o.status = 'sending' and ${except})`;

/** SQL row `use` (null without a plan) of a campaign `c` that is sending. */
export const PLAN_USE = sql.raw(`(select jsonb_build_object(${numberUse("o.id <> c.id")},
    'own', jsonb_build_object('all', ${left("c")}, 'cold', ${coldLeft("c")})) as use
  from number_plan p, account a
  where c.status = 'sending' and p.connection_id = c.connection_id and a.id = c.account_id)`);

/** Null: the connection has no plan. */
export async function findNumberUse(owner: Owner, connectionId: number): Promise<NumberUse | null> {
  const { rows } = await sql<{
    use: NumberUse;
  }>`select jsonb_build_object(${sql.raw(numberUse("true"))}) as use
    from number_plan p, account a
    where p.connection_id = ${connectionId} and a.id = ${owner.accountId}::uuid
      and exists (select from connection where id = ${connectionId} and account_id = a.id)`.execute(owner.db);
  return rows[0]?.use ?? null;
}

/** SQL `with` items: `warm` (phone), who a message of the connection begins no conversation with. */
export const warmPhones = (connectionId: number, accountId: string) => sql`known as materialized (
      select k.address from known_conversation k where k.connection_id = ${connectionId} and ${sql.raw(recentTalk("k"))}),
    warm as (
      select address::bigint as phone from known where address ~ '^[0-9]{1,15}$'
      union select w.phone from wa_address w join known on known.address = w.lid
      union select g.phone from gateway_address g join known on known.address = g.lid
        where g.account_id = ${accountId}::uuid)`;

/** At the start, only for a number with a plan. From the conversations, which are fewer than a large audience. */
export async function storeColdPeople(
  { db, accountId }: Owner,
  campaignId: number,
  connectionId: number,
): Promise<void> {
  await sql`with ${warmPhones(connectionId, accountId)}
    update campaign c set cold_people = (select count(*) from delivery d where d.campaign_id = ${campaignId}
      and d.status = ${DELIVERY.pending} and not exists (select from warm where warm.phone = d.phone))
    where c.id = ${campaignId} and exists (select from number_plan where connection_id = ${connectionId})`.execute(
    db,
  );
}
