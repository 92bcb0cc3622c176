import { sql } from "kysely";
import { ERASE_CAMPAIGN } from "../../../domain/campaign-fields.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { deleteParts } from "../ledger/campaign-parts.ts";
import { holdResends } from "../ledger/resends.ts";
import { lockCampaign } from "./campaign-status.ts";

/* Archives or deletes finished campaigns, in the caller's transaction with the campaign locked. Throws
   AppError `not_found`, `campaign_wrong_state` while not finished, and `campaign_still_writing`. */

const OVER: readonly string[] = ["ended", "cancelled"];

export const archiveCampaign = (owner: Owner, campaignId: number) =>
  setArchived(owner, campaignId, sql`coalesce(archived_at, now())`);

export const unarchiveCampaign = (owner: Owner, campaignId: number) =>
  setArchived(owner, campaignId, sql`null`);

async function setArchived(owner: Owner, campaignId: number, at: ReturnType<typeof sql>): Promise<void> {
  await lockOver(owner, campaignId);
  await sql`update campaign set archived_at = ${at} where id = ${campaignId}`.execute(owner.db);
}

async function lockOver(owner: Owner, campaignId: number): Promise<void> {
  const { status } = await lockCampaign(owner, campaignId);
  if (!OVER.includes(status)) throw new AppError("campaign_wrong_state", { life: status });
}

/**
 * Deletes a finished campaign and returns its name; `deletePeople` removes its people later. The row stays: a
 * reused nonce would get its receipts, its days count in the month, and its idempotency key prevents a second
 * campaign.
 */
export async function deleteCampaign(owner: Owner, campaignId: number): Promise<string> {
  await lockOver(owner, campaignId);
  await holdResends(owner.db, campaignId);
  if (await mayStillWrite(owner, campaignId)) throw new AppError("campaign_still_writing");
  const { rows } = await sql<{ name: string }>`
    update campaign c set deleted_at = now(), ${sql.raw(ERASE_CAMPAIGN)}
    from (select id, name from campaign where id = ${campaignId}) was where c.id = was.id returning was.name`.execute(
    owner.db,
  );
  if (!rows[0]) throw new AppError("not_found");
  await sql`delete from campaign_upload where campaign_id = ${campaignId}`.execute(owner.db);
  await deleteParts(owner.db, campaignId);
  return rows[0].name;
}

/**
 * A related run (resend or original) with pending people reads this one's rows to see who has the message.
 */
async function mayStillWrite(owner: Owner, campaignId: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`with recursive
    up as (
      select id, resends_id from campaign where id = ${campaignId}
      union all select c.id, c.resends_id from campaign c join up on c.id = up.resends_id),
    run as (
      select id from up where resends_id is null
      union all select c.id from campaign c join run on c.resends_id = run.id)
    select coalesce(bool_or(c.status not in ('ended', 'cancelled') or c.pending_count + c.sending_count + c.waiting_count > 0), false) as open
    from run join campaign c on c.id = run.id and c.account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0]?.open ?? false;
}

const PEOPLE = [
  "provider_message",
  "campaign_alias",
  "delivery_action",
  "delivery_part",
  "delivery",
] as const;

/**
 * Deletes people of deleted campaigns in committed batches of `limit` rows, until `enough` or none is left.
 */
export async function deletePeopleOfDeleted(db: Db, limit: number, enough: () => boolean): Promise<void> {
  while (!enough() && (await deletePeople(db, limit)));
}

/**
 * Deletes up to `limit` rows of the oldest deleted campaign; false: nothing to do. Rows locked by a receipt
 * are skipped, since waiting could deadlock.
 */
async function deletePeople(db: Db, limit: number): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`select id from campaign
    where deleted_at is not null and not people_deleted order by id limit 1`.execute(db);
  const [campaign] = rows;
  if (!campaign) return false;
  for (const table of PEOPLE) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where campaign_id = ${campaign.id} limit ${limit} for update skip locked))`.execute(
      db,
    );
    if ((numAffectedRows ?? 0n) > 0n) return true;
  }
  const { numAffectedRows } = await sql`update campaign set people_deleted = true where id = ${campaign.id}
    and not exists (select from delivery where campaign_id = ${campaign.id})
    and not exists (select from provider_message where campaign_id = ${campaign.id})`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}
