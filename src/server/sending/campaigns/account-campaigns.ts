import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { wakeLane } from "../ledger/signals.ts";
import { awaitStarts } from "./campaign-status.ts";

/** Before the account's removal. Also notifies lanes with recipients in flight. */
export async function cancelCampaigns(owner: Owner): Promise<void> {
  await awaitStarts(owner.db, { accountId: owner.accountId });
  const { rows } = await sql<{ connectionId: number | null }>`
    update campaign set status = 'cancelled', pause_reason = null, updated_at = now()
    where id in (select id from campaign
      where account_id = ${owner.accountId} and status in ('scheduled', 'starting', 'sending', 'paused')
      order by id for no key update) returning connection_id as "connectionId"`.execute(owner.db);
  for (const connectionId of new Set(rows.map((row) => row.connectionId)))
    if (connectionId !== null) await wakeLane(owner.db, connectionId);
}

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
