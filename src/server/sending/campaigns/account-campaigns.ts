import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";

/** Their deliveries are gone by then, in parts. */
export async function deleteCampaigns(owner: Owner): Promise<void> {
  await sql`delete from campaign where account_id = ${owner.accountId}`.execute(owner.db);
}

export async function campaignZones(db: Db): Promise<string[]> {
  const { rows } = await sql<{ zone: string }>`select distinct zone from campaign`.execute(db);
  return rows.map(({ zone }) => zone);
}

/** Campaigns in one of `zones` get their account's; instants stay. Returns their ids. */
export async function replaceZones(db: Db, zones: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with lost as (select id from campaign where zone = any(${zones}::text[]) order by id for no key update)
    update campaign c set zone = a.time_zone,
      scheduled_local = coalesce(to_char(c.scheduled_at at time zone a.time_zone, 'YYYY-MM-DD"T"HH24:MI'), c.scheduled_local)
    from lost, account a where c.id = lost.id and a.id = c.account_id returning c.id`.execute(db);
  return rows.map(({ id }) => id);
}
