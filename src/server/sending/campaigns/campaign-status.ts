import { sql } from "kysely";
import type { Language } from "../../../contract/accounts.ts";
import { asksReason } from "../../../domain/breaker.ts";
import type { CampaignStatus } from "../../../domain/campaign.ts";
import { columnsIn } from "../../../domain/campaign-fields.ts";
import { AppError } from "../../../domain/errors.ts";
import { wordsOf } from "../../base/locale.ts";
import { refuseFull, requireRoom } from "../../db/account-limits.ts";
import type { Db } from "../../db/client.ts";
import { inTransaction, type Owner } from "../../db/owner.ts";
import { refuseWhileRestoreLocked } from "../../db/restore-lock.ts";
import { copyParts } from "../ledger/campaign-parts.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { nextResend, reachedByResend } from "../ledger/resends.ts";
import { wakeLane, wakeStarter } from "../ledger/signals.ts";
import { startingConnection } from "./audience.ts";
import { type AskedAudience, findMissing } from "./audience-people.ts";
import { acceptStop } from "./breaker.ts";
import { DELIVERIES, WAITING_CAMPAIGNS } from "./campaign-totals.ts";
import { refuseAtLimit } from "./limit.ts";
import { UNCONFIRMED } from "./unconfirmed.ts";

/**
 * A human's actions on a campaign: one transaction (or the caller's) locks it, checks its status and wakes
 * the lane. Throws `not_found`, `campaign_wrong_state`; starting actions `campaign_list_empty`,
 * `campaign_connection_required`, `campaign_no_default_connection`.
 */

type Life = {
  status: CampaignStatus;
  cause: string | null;
  connectionId: number | null;
  awaitsOnlyWord: boolean;
  held: boolean;
  updatedAt: Date;
  /** The form that last wrote its content: idempotency key and hash. */
  key: string | null;
  hash: Buffer | null;
};

const AWAITS_ONLY_WORD = sql`(accepted_count > 0 and pending_count = 0 and sending_count = 0 and waiting_count = 0)`;

/**
 * Locks the campaign until the transaction ends, so that it cannot start, move or end beside it. `deleted`:
 * also a deleted one, whose row stays. Throws `not_found`.
 */
export async function lockCampaign(
  owner: Owner,
  campaignId: number,
  { deleted = false } = {},
): Promise<Life> {
  const { rows } =
    await sql<Life>`select status, pause_reason as cause, connection_id as "connectionId", ${AWAITS_ONLY_WORD} as "awaitsOnlyWord",
      status = 'scheduled' and scheduled_local is null as held, updated_at as "updatedAt", idempotency_key as key, idempotency_hash as hash
    from campaign where id = ${campaignId} and account_id = ${owner.accountId}::uuid and (${deleted} or deleted_at is null)
    for no key update`.execute(owner.db);
  if (!rows[0]) throw new AppError("not_found");
  return rows[0];
}

function change(
  owner: Owner,
  campaignId: number,
  work: (tx: Owner, now: Life) => Promise<void>,
): Promise<void> {
  return inTransaction(owner, async (tx) => {
    const now = await lockCampaign(tx, campaignId);
    await work(tx, now);
    if (now.connectionId !== null) await wakeLane(tx.db, now.connectionId);
  });
}

function expectStatus(now: Life, allowed: readonly string[]): void {
  if (!allowed.includes(now.status)) throw new AppError("campaign_wrong_state", { life: now.status });
}

async function setStatus(tx: Db, campaignId: number, status: string, cause: string | null): Promise<void> {
  await sql`update campaign set status = ${status}, pause_reason = ${cause}, updated_at = now(),
    ended_at = case when ${status} = 'cancelled' then now() else ended_at end
    where id = ${campaignId}`.execute(tx);
}

/** Starts it after `undoS` seconds, in which `undoStart` takes it back. */
export function requestStart(owner: Owner, campaignId: number, undoS = 0): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["draft", "scheduled"]);
    await refuseAtLimit(tx);
    await refuseStart(tx, campaignId);
    if (undoS > 0)
      await sql`update campaign set status = 'scheduled', scheduled_at = now() + ${undoS} * interval '1 second',
        pause_reason = null, updated_at = now() where id = ${campaignId}`.execute(tx.db);
    else await setStatus(tx.db, campaignId, "starting", null);
    await wakeStarter(tx.db);
  });
}

/** It is a draft again. Throws `campaign_wrong_state` once it starts. */
export function undoStart(owner: Owner, campaignId: number): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    if (!now.held) throw new AppError("campaign_wrong_state", { life: now.status });
    await sql`update campaign set status = 'draft', scheduled_at = null, updated_at = now()
      where id = ${campaignId}`.execute(tx.db);
  });
}

/** After its commit no one new is claimed; only messages in flight finish. */
export function pauseCampaign(owner: Owner, campaignId: number): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["sending", "starting"]);
    refuseWhileAwaiting(now);
    await setStatus(tx.db, campaignId, "paused", "user");
  });
}

/**
 * Continues; a campaign that never started (no connection) starts now. A missed one needs `confirmMissed`.
 * Throws `campaign_reason_required`.
 */
export function resumeCampaign(owner: Owner, campaignId: number, reason?: string): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["paused"]);
    refuseWhileAwaiting(now);
    if (now.cause === "missed")
      throw new AppError("campaign_wrong_state", { life: now.status, cause: now.cause });
    if (asksReason(now.cause)) {
      if (reason === undefined) throw new AppError("campaign_reason_required");
      await acceptStop(tx.db, campaignId, now);
    }
    if (now.cause === UNCONFIRMED)
      await sql`update campaign set goes_on_unconfirmed = true where id = ${campaignId}`.execute(tx.db);
    await goOn(tx, campaignId, now);
  });
}

/**
 * Ends a campaign that waits only for WhatsApp's confirmations. Its people stay `accepted`; later
 * confirmations still count.
 */
export function finishCampaign(owner: Owner, campaignId: number): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["sending", "paused"]);
    if (!now.awaitsOnlyWord) throw new AppError("campaign_wrong_state", { life: now.status });
    await sql`update campaign set status = 'ended', pause_reason = null, ended_at = now(), updated_at = now()
      where id = ${campaignId}`.execute(tx.db);
  });
}

function refuseWhileAwaiting(now: Life): void {
  if (now.awaitsOnlyWord) throw new AppError("campaign_wrong_state", { life: now.status });
}

/** A campaign whose time passed while the server was off starts only after a human confirms. */
export function confirmMissed(owner: Owner, campaignId: number): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["paused"]);
    if (now.cause !== "missed") throw new AppError("campaign_wrong_state", { life: now.status });
    await sql`update campaign set late = true where id = ${campaignId}`.execute(tx.db);
    await goOn(tx, campaignId, now);
  });
}

async function goOn(tx: Owner, campaignId: number, now: Life): Promise<void> {
  await refuseWhileRestoreLocked(tx.db);
  const { rows } = await sql<{ started: boolean; early: boolean }>`select started_at is not null as started,
      coalesce(scheduled_at > now(), false) as early from campaign
    where id = ${campaignId}`.execute(tx.db);
  // Its connection was deleted midway: «Reutilizar» or «Reenviar falhas» use another one, with ids of their
  // own.
  if (rows[0]?.started && now.connectionId === null) throw new AppError("campaign_connection_required");
  await refuseAtLimit(tx);
  if (now.cause === "restored" && rows[0]?.early && !rows[0].started)
    return setStatus(tx.db, campaignId, "scheduled", null);
  if (!rows[0]?.started) {
    await requireRoom(tx, WAITING_CAMPAIGNS);
    await refuseStart(tx, campaignId);
  }
  if (now.cause === "suspended" && !rows[0]?.started)
    await sql`update campaign set late = scheduled_at is not null where id = ${campaignId}`.execute(tx.db);
  await setStatus(tx.db, campaignId, rows[0]?.started ? "sending" : "starting", null);
  if (!rows[0]?.started) await wakeStarter(tx.db);
}

type Through = { connectionId: number | null; connectionName: string | null };

/** Otherwise it would stop right after the success message. */
async function refuseStart(tx: Owner, campaignId: number): Promise<void> {
  const { rows } = await sql<AskedAudience & Through & { people: boolean }>`
    select connection_id as "connectionId", connection_name as "connectionName", list_id as "listId", audience, variables,
      resends_id is not null or audience is not null or exists (select from membership where list_id = c.list_id) as people
    from campaign c where id = ${campaignId}`.execute(tx.db);
  const [campaign] = rows;
  if (!campaign) throw new AppError("not_found");
  const connection = await startingConnection(tx.db, { ...campaign, accountId: tx.accountId });
  if ("cause" in connection) throw new AppError(WITHOUT_CONNECTION[connection.cause]);
  if (!campaign.people) throw new AppError("campaign_list_empty");
  if (campaign.audience !== null && (await findMissing(tx, campaign)) !== null)
    throw new AppError("audience_gone");
  await refuseFullAudience(tx, campaignId);
}

/** Throws `limit_reached` when the list would exceed the account's stored people; the start counts again. */
export async function refuseFullAudience(owner: Owner, campaignId: number): Promise<void> {
  const { rows } = await sql<{
    people: number;
  }>`select case when c.resends_id is null and c.audience is null then coalesce(l.contacts, 0) else 1 end as people
    from campaign c left join contact_list l on l.id = c.list_id
    where c.id = ${campaignId} and c.account_id = ${owner.accountId}::uuid`.execute(owner.db);
  await refuseFull(owner, DELIVERIES, rows[0]?.people ?? 0);
}

const WITHOUT_CONNECTION = {
  connection_removed: "campaign_connection_required",
  no_default_connection: "campaign_no_default_connection",
} as const;

/**
 * Ends it: the sweeper makes pending and clean waiting people «Ignorado (cancelada)», doubtful ones «A
 * verificar». Messages in flight finish.
 */
export function cancelCampaign(owner: Owner, campaignId: number): Promise<void> {
  return change(owner, campaignId, async (tx, now) => {
    expectStatus(now, ["scheduled", "starting", "sending", "paused"]);
    refuseWhileAwaiting(now);
    await setStatus(tx.db, campaignId, "cancelled", null);
    await wakeStarter(tx.db);
  });
}

const COPIED = sql.raw(columnsIn("resend").join(", "));

/**
 * Same content for the failed people; returns its id or that of a pending resend, so a double click makes
 * one. Throws `campaign_changed` (409) when `through`, the chosen connection, was removed.
 */
export async function createResend(owner: Owner, campaignId: number, through?: number): Promise<number> {
  return owner.db.transaction().execute(async (tx) => {
    // The new campaign refers to it: removal locks the connection first, then the campaigns.
    await sql`select from connection where id = (select connection_id from campaign where id = ${campaignId})
      and account_id = ${owner.accountId}::uuid for key share`.execute(tx);
    const now = await lockCampaign(owner.in(tx), campaignId);
    expectStatus(now, ["ended", "cancelled"]);
    const active = await sql<{ id: number }>`select id from campaign
      where resends_id = ${campaignId} and status in ('starting', 'sending', 'paused') order by id limit 1`.execute(
      tx,
    );
    if (active.rows[0]) return active.rows[0].id;
    if (through !== undefined && now.connectionId !== through) throw new AppError("campaign_changed");
    await refuseAtLimit(owner.in(tx));
    await requireRoom(owner.in(tx), WAITING_CAMPAIGNS);
    const name = await nameOfResend(owner.in(tx), campaignId);
    const { rows } = await sql<{
      id: number;
    }>`insert into campaign (account_id, name, ${COPIED}, connection_name, status, resends_id, nonce)
      select account_id, ${name}::text, ${COPIED},
        case when connection_id is not null then connection_name end, 'starting', id, ${freshNonce()}
      from campaign where id = ${campaignId} and exists (${reachedByResend(owner, campaignId)})
      returning id`.execute(tx);
    if (!rows[0]) throw new AppError("campaign_nothing_to_resend");
    await copyParts(tx, campaignId, rows[0].id);
    await refuseStart(owner.in(tx), rows[0].id);
    await recordCampaigns(tx, "campaign_resent", [rows[0].id]);
    await wakeStarter(tx);
    return rows[0].id;
  });
}

/** In the account's language: others read the name long after. */
async function nameOfResend(owner: Owner, campaignId: number): Promise<string> {
  const { rows } = await sql<{ language: Language }>`select language from account
    where id = ${owner.accountId}::uuid`.execute(owner.db);
  const next = await nextResend(owner.db, campaignId);
  if (!rows[0] || !next) throw new AppError("not_found");
  return wordsOf(rows[0].language).resendOf(next.name, next.nth);
}

/** 32 random bits, unique in the installation, so that message ids of campaigns never collide. */
function freshNonce() {
  return sql`(select n from (select floor(random() * 4294967296)::bigint as n from generate_series(1, 8)) as drawn
    where not exists (select 1 from campaign c where c.nonce = drawn.n) limit 1)`;
}

/** SQL: a campaign's people come from the list, or it leaves them out. */
const usesList = (
  listId: number,
) => sql`(list_id = ${listId} or audience -> 'listIds' @> ${String(listId)}::jsonb
  or audience -> 'without' -> 'listIds' @> ${String(listId)}::jsonb)`;

/**
 * Waits for starting campaigns one by one, holding no lock, before all of a connection, list or account are
 * locked. Otherwise a deadlock: a start waits for opt-outs, they wait for other campaigns.
 */
export async function awaitStarts(
  db: Db,
  which: { connectionId: number } | { accountId: string; listId?: number },
): Promise<void> {
  const of =
    "connectionId" in which
      ? sql`connection_id = ${which.connectionId}`
      : sql`account_id = ${which.accountId}::uuid and ${which.listId === undefined ? sql`true` : usesList(which.listId)}`;
  const { rows } = await sql<{
    id: number;
  }>`select id from campaign where status = 'starting' and ${of}`.execute(db);
  for (const { id } of rows) await sql`select from campaign where id = ${id} for share`.execute(db);
}

/** Before the list that they refer to, in the common lock order. */
export async function lockCampaignsOfList({ db, accountId }: Owner, listId: number): Promise<void> {
  await sql`select from campaign where account_id = ${accountId}::uuid and ${usesList(listId)} order by id for no key update`.execute(
    db,
  );
}

export async function pauseCampaignsOf(tx: Db, connectionId: number, cause: string): Promise<number> {
  const { rows } = await sql<{ id: number; was: string }>`
    update campaign c set status = 'paused', pause_reason = ${cause}, updated_at = now()
    from (select id, status from campaign
      where connection_id = ${connectionId} and status in ('starting', 'sending', 'paused') order by id for no key update) old
    where c.id = old.id returning c.id, old.status as was`.execute(tx);
  const stopped = rows.filter(({ was }) => was !== "paused");
  await recordCampaigns(
    tx,
    "campaign_paused",
    stopped.map(({ id }) => id),
    cause,
  );
  return rows.length;
}
