import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Db } from "../db/client.ts";

/**
 * SQL of the people whose message of `campaignId` failed and who got it by no other run of it either: a campaign may be sent again more
 * than once, and its resends too. Columns phone, name, seq. `self`: the run that is being made, which does not count.
 */
export function failuresToResend(campaignId: number, self: number | null) {
  // Skipped at a cancel, or never handed out before one: the only ways besides failing to have got nothing for certain.
  const gotNothing = sql`d.status = ${DELIVERY.error} or (d.status = ${DELIVERY.skipped} and d.error = 'cancelled')
    or (run.life = 'cancelled' and d.status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and not d.ambiguous)`;
  return sql`with recursive ${runsAbove(campaignId)},
    run as (
      select id, life from campaign where id in (select id from up where resends_id is null)
      union all select c.id, c.life from campaign c join run on c.resends_id = run.id)
    select p.phone, p.name, p.seq from delivery p
    where p.campaign_id = ${campaignId} and p.attention = ${DELIVERY.error}
      and not exists (
        select 1 from run join delivery d on d.campaign_id = run.id and d.phone = p.phone
        where run.id <> ${campaignId} and run.id is distinct from ${self}::bigint and not (${gotNothing}))`;
}

/** `up`: a campaign, and those that it was sent again from. */
const runsAbove = (campaignId: number) => sql`up as (
      select id, resends_id from campaign where id = ${campaignId}
      union all select c.id, c.resends_id from campaign c join up on c.id = up.resends_id)`;

/**
 * Of a campaign, its resends and theirs, one at a time is given its people, until the transaction ends: two processes that start two of
 * them at once would not see each other's, and both would send to whoever got nothing so far.
 */
export async function holdResends(tx: Db, campaignId: number): Promise<void> {
  await sql`with recursive ${runsAbove(campaignId)}
    select pg_advisory_xact_lock(hashtextextended('resends of ' || id, 0)) from up where resends_id is null`.execute(
    tx,
  );
}
