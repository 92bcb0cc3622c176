import { sql } from "kysely";
import { DELIVERY_STATES } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";

export type Difference = { campaignId: number; total: number; counters: number[]; rows: number[] };

/**
 * Compares rows with counters, in `DELIVERY` order, for campaigns moved in `days`. One statement per campaign
 * gives one snapshot without locks; campaigns or accounts being deleted are excluded.
 */
export async function recount(db: Db, days: number): Promise<Difference[]> {
  const counters = sql.raw(DELIVERY_STATES.map((state) => `c.${state}_count`).join(", "));
  const rows = sql.raw(
    DELIVERY_STATES.map((_, code) => `count(d.seq) filter (where d.status = ${code})::int`).join(", "),
  );
  const found =
    await sql<Difference>`select c.id as "campaignId", c.total, array[${counters}] as counters, counted.rows
    from campaign c
      cross join lateral (select array[${rows}] as rows from delivery d where d.campaign_id = c.id) as counted
    where c.started_at is not null and c.deleted_at is null and exists (select 1 from account a where a.id = c.account_id and a.removed_at is null)
      and (c.ended_at is null or greatest(c.ended_at, c.updated_at) > now() - ${days} * interval '1 day')
      and array[${counters}] is distinct from counted.rows
    order by c.id`.execute(db);
  return found.rows;
}
