import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";

/** SQL: JSON list of the files that campaign `c` sends after its first message, in order. */
export const MORE_ATTACHMENTS_SQL = `(case when c.parts = 1 then '[]'::json else (
  select json_agg(p.attachment_id order by p.part) from campaign_part p where p.campaign_id = c.id) end)`;

/** SQL rows (campaign_id, part, attachment_id): messages after the first. */
export const FURTHER_PARTS = sql`(select campaign_id, part, attachment_id from campaign_part)`;

/** Replaces the files after the first message of a draft that the caller holds. */
export async function storeParts(
  { db, accountId }: Owner,
  campaignId: number,
  attachmentIds: readonly number[],
): Promise<void> {
  const own = sql`c.id = ${campaignId} and c.account_id = ${accountId}::uuid`;
  await sql`delete from campaign_part p using campaign c where p.campaign_id = c.id and ${own}`.execute(db);
  if (attachmentIds.length > 0)
    await sql`insert into campaign_part (campaign_id, part, attachment_id)
      select c.id, f.part, f.id from campaign c
        cross join unnest(${[...attachmentIds]}::bigint[]) with ordinality f(id, part) where ${own}`.execute(
      db,
    );
}

export async function copyParts(tx: Db, from: number, to: number): Promise<void> {
  await sql`insert into campaign_part (campaign_id, part, attachment_id)
    select ${to}, part, attachment_id from campaign_part where campaign_id = ${from}`.execute(tx);
}

export async function deleteParts(tx: Db, campaignId: number): Promise<void> {
  await sql`delete from campaign_part where campaign_id = ${campaignId}`.execute(tx);
}
