import { sql } from "kysely";
import { CANARY_ABOVE, CANARY_PEOPLE } from "../../../domain/breaker.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { inIndexOrder } from "../../db/by-index.ts";
import type { Db } from "../../db/client.ts";
import { warmPhone } from "../ledger/known-conversations.ts";

/** At the start, last: no one behind the first cold people is claimed until they are judged. */
export async function beginCanary(tx: Db, campaignId: number): Promise<void> {
  const isWarm = sql.raw(warmPhone("c.connection_id", "d.phone"));
  const held = sql`update campaign c set claims_to = (
      select max(seq) + 1 from (
        select d.seq from delivery d
        where d.campaign_id = ${campaignId} and d.status = ${DELIVERY.pending} and not ${isWarm}
        order by d.seq limit ${CANARY_PEOPLE}) first)
    where c.id = ${campaignId} and c.cold_people > ${CANARY_ABOVE}`;
  // Fresh rows have no statistics: the planner would sort a million.
  await inIndexOrder(tx, (inside) => held.execute(inside));
}
