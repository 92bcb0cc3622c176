import { sql } from "kysely";
import { CANARY_ABOVE, CANARY_PEOPLE } from "../../../domain/breaker.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { inIndexOrder } from "../../db/by-index.ts";
import type { Db } from "../../db/client.ts";
import { warmPhone } from "../ledger/known-conversations.ts";

/** Seq after the first cold people; null: too few for a canary. */
export async function findCanaryEnd(
  tx: Db,
  campaignId: number,
  connectionId: number,
): Promise<number | null> {
  const cold = sql<{ cold: number; end: number | null }>`
    select count(*)::int as cold, max(seq) filter (where nth <= ${CANARY_PEOPLE}) + 1 as end
    from (select seq, row_number() over (order by seq) as nth from (
      select d.seq from number_plan p join delivery d on d.campaign_id = ${campaignId}
      where p.connection_id = ${connectionId} and d.status = ${DELIVERY.pending}
        and not ${sql.raw(warmPhone("p.connection_id", "d.phone"))}
      order by d.seq limit ${CANARY_ABOVE + 1}) cold) numbered`;
  // Fresh rows have no statistics: the planner would sort a million.
  const { rows } = await inIndexOrder(tx, (inside) => cold.execute(inside));
  const found = rows[0];
  return found && found.cold > CANARY_ABOVE ? found.end : null;
}
