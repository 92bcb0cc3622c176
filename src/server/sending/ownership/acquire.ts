import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { IS_RESTORE_LOCKED } from "../../db/restore-lock.ts";
import { isSuspended } from "../../db/suspended.ts";
import { awaitStarts, pauseCampaignsOf } from "../campaigns/campaign-status.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { applyMoves, showDoubts } from "../ledger/settle.ts";
import { laneIsFree } from "../ledger/signals.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { notifyUnsent, showOutboxDoubts } from "../outbox/outbox-settle.ts";
import { settleKnown } from "../receipts/provider-messages.ts";
import { deleteWorkers, IS_FREE, WANTS_OWNER, type Worker } from "./workers.ts";

export const LEASE_S = 6;

const INTERRUPTED = "interrupted";

/**
 * A device's doubt: resent under its id or shown to a human. A gateway takes no id of ours: its doubts are
 * never resent, only searched for (reconcile.ts).
 */
export type Doubt = "resend" | "uncertain";

/**
 * For claimed people: a device's doubt, or a gateway's search time in ms; unbegun ones (wire-marks.ts) return
 * clean.
 */
type Fate = Doubt | { reconcileMs: number };

const fateOf = (kind: string, doubt: Doubt, reconcileMs: number): Fate =>
  kind === "instance" ? { reconcileMs } : doubt;

/** Wanted again while ending: the later end report must not stop it. */
const WANTED_AGAIN = sql`(desired = 'connected' and state = 'disconnected' and state_reason is not distinct from 'disconnected_by_user')`;

/**
 * Acquires a connection: raises its fence (waiting for a running turn), then returns claimed people in doubt.
 * Null: leased, restore lock or suspended. READ COMMITTED, so that statements see what earlier ones waited
 * for.
 */
export async function acquireConnection(
  db: Db,
  connectionId: number,
  owner: string,
  doubt: Doubt,
  reconcileMs = LANE_TIMES.reconcile,
): Promise<AcquiredConnection | null> {
  return db.transaction().execute(async (tx) => {
    const former = await formerOwner(tx, connectionId);
    if (former !== null && former !== owner && (await ownerLives(tx, former))) return null;
    const { rows } = await sql<AcquiredConnection>`update connection
      set fence = fence + 1, owner = ${owner}::uuid,
        state = case when ${WANTED_AGAIN} then 'connecting' else state end,
        state_since = case when ${WANTED_AGAIN} then now() else state_since end,
        state_reason = case when ${WANTED_AGAIN} then null else state_reason end
      where id = ${connectionId} and (owner is null or owner in (${owner}::uuid, ${former}::uuid))
        and not ${IS_RESTORE_LOCKED} and not ${isSuspended(sql.ref("account_id"))}
      returning id as "connectionId", account_id as "accountId", device_id as "deviceId", kind, fence, desired`.execute(
      tx,
    );
    const taken = rows[0];
    if (!taken) return null;
    await giveBackInDoubt(tx, taken, fateOf(taken.kind, doubt, reconcileMs));
    return taken;
  });
}

async function formerOwner(tx: Db, connectionId: number): Promise<string | null> {
  const { rows } = await sql<{
    owner: string | null;
  }>`select owner from connection where id = ${connectionId}`.execute(tx);
  return rows[0]?.owner ?? null;
}

/** An ended lease stays locked until commit: a late renewal waits and sees the new owner. */
async function ownerLives(tx: Db, owner: string): Promise<boolean> {
  const { rows } = await sql<{ lives: boolean }>`select lease_until >= now() as lives from worker
    where id = ${owner}::uuid for share`.execute(tx);
  return rows[0]?.lives ?? false;
}

async function giveBackInDoubt(
  tx: Db,
  { connectionId, fence }: Pick<AcquiredConnection, "connectionId" | "fence">,
  fate: Fate,
): Promise<void> {
  const never = fate === "uncertain";
  const sought = typeof fate === "object" ? fate.reconcileMs : null;
  const begun = sought === null ? IN_DOUBT : begunInDoubt(sought);
  const campaigns = await sql<{ id: number }>`select id from campaign
    where connection_id = ${connectionId} and (sending_count > 0 or (${never} and waiting_count > 0))
    order by id for no key update`.execute(tx);
  for (const { id } of campaigns.rows) {
    // Cancelled ones too: the sweep leaves their doubts to a human (campaign-clock.ts).
    await applyMoves(
      tx,
      id,
      sql`moved as (
        update delivery d set status = ${DELIVERY.waiting}, ${begun},
          at = ${sought === null ? sql`now()` : sql`coalesce(d.not_before, now())`}
        from campaign c
        where c.id = ${id} and d.campaign_id = c.id and d.seq >= c.lowest_in_flight_seq and d.seq < greatest(c.cursor, c.claimed_to)
          and d.status = ${DELIVERY.sending} and d.fence < ${fence}
        returning ${DELIVERY.sending}::smallint as was, d.status as now, d.at)`,
    );
    if (never) await showDoubts(tx, id, INTERRUPTED);
  }
  await sql`update outbox d set status = ${DELIVERY.waiting}, ${begun},
      at = ${sought === null ? sql`at` : sql`coalesce(not_before, at)`}
    where connection_id = ${connectionId} and status = ${DELIVERY.sending} and fence < ${fence}`.execute(tx);
  if (never) await showOutboxDoubts(tx, connectionId, INTERRUPTED);
}

const IN_DOUBT = sql`ambiguous = true, tries = d.tries + 1, not_before = null, error = null`;

/** Only doubts count an attempt; columns have the old row's values. */
const begunInDoubt = (ms: number) => sql`ambiguous = d.not_before is not null,
  tries = d.tries + case when d.not_before is null then 0 else 1 end,
  error = case when d.not_before is null then null else ${INTERRUPTED} end,
  not_before = case when d.not_before is null then null else now() + ${ms} * interval '1 millisecond' end`;

/**
 * Renews a process's lease; `leaving`: others take its share. Returns owned connections. READ COMMITTED: the
 * last statement must see the acquire the first one waited for.
 */
export async function renewLeases(db: Db, worker: Worker, leaving = false): Promise<Renewed[]> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql`update worker set leaving = ${leaving}, lease_until = ${LEASE_END}
      where id = ${worker.id}::uuid returning id`.execute(tx);
    if (rows.length === 0) await beginLease(tx, worker, leaving);
    const owned =
      await sql<Renewed>`select id as "connectionId", fence, desired, pairing_code_wanted as "pairingCodeWanted"
      from connection where owner = ${worker.id}::uuid`.execute(tx);
    return owned.rows;
  });
}

const LEASE_END = sql`now() + ${sql.lit(LEASE_S)} * interval '1 second'`;

/**
 * First lease of a new or forgotten process. An acquirer finds no lease to lock: raised fences stop the old
 * claims, and the process acquires again.
 */
async function beginLease(tx: Db, { id, kinds, dataFolder }: Worker, leaving: boolean): Promise<void> {
  await sql`insert into worker (id, kinds, data_folder, leaving, lease_until)
    values (${id}::uuid, ${[...kinds]}::text[], ${dataFolder}::uuid, ${leaving}, ${LEASE_END})`.execute(tx);
  // Ordered by id like every multi-row lock, in a separate statement to see current rows.
  const { rows } = await sql<{ id: number }>`select id from connection where owner = ${id}::uuid
    order by id for no key update`.execute(tx);
  if (rows.length === 0) return;
  await sql`update connection set fence = fence + 1 where id = any(${rows.map((row) => row.id)}::bigint[])`.execute(
    tx,
  );
}

/** Far above any lease: small clock corrections shorten none. */
const LONGEST_LEASE = sql`interval '10 minutes'`;

/**
 * Leases beyond the maximum precede a database clock set back: a dead process's connections could not be
 * acquired. They are shortened to a new lease; live processes renew theirs.
 */
export async function shortenLeases(db: Db): Promise<void> {
  const late = sql`lease_until > now() + ${LONGEST_LEASE}`;
  if ((await executePrepared(sql`select from worker where ${late}`, db)).length === 0) return;
  await sql`update worker set lease_until = ${LEASE_END} where ${late}`.execute(db);
}

export type Renewed = { connectionId: number; fence: number; desired: string; pairingCodeWanted: boolean };

export async function accountsWithFree(
  db: Db,
  kinds: readonly string[],
  except: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select account_id as id from connection
    where kind = any(${[...kinds]}::text[]) and ${WANTS_OWNER} and ${IS_FREE} and id <> all(${[...except]}::bigint[]) and not ${IS_RESTORE_LOCKED}
    group by account_id order by min(id)`.execute(db);
  return rows.map((row) => row.id);
}

/** Ownerless wanted connections, oldest first, up to `limit`, without `except` and those being acquired. */
export async function findFree(
  db: Db,
  kind: string,
  limit: number,
  except: readonly number[] = [],
  accountId?: string,
): Promise<number[]> {
  const which = accountId === undefined ? sql`` : sql`and account_id = ${accountId}::uuid`;
  const { rows } = await sql<{ id: number }>`select id from connection
    where kind = ${kind} ${which} and ${WANTS_OWNER} and ${IS_FREE} and id <> all(${[...except]}::bigint[]) and not ${IS_RESTORE_LOCKED}
    order by id limit ${limit} for update skip locked`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Releases at once, without waiting for the lease; messages in flight become doubts, since no next owner may
 * follow.
 */
export async function releaseLane(
  db: Db,
  lane: Pick<AcquiredConnection, "connectionId" | "fence">,
  owner: string,
  doubt: Doubt,
  reconcileMs = LANE_TIMES.reconcile,
): Promise<void> {
  const { connectionId } = lane;
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ fence: number; kind: string }>`update connection
      set owner = null, fence = fence + 1
      where id = ${connectionId} and fence = ${lane.fence} and owner = ${owner}::uuid returning fence, kind`.execute(
      tx,
    );
    if (!rows[0]) return;
    const { fence, kind } = rows[0];
    await giveBackInDoubt(tx, { connectionId, fence }, fateOf(kind, doubt, reconcileMs));
    await laneIsFree(tx);
  });
}

/** Only one caller gets it: a second code would end the first. */
export async function takeCodeWish(db: Db, connectionId: number): Promise<boolean> {
  const { rows } = await sql`update connection set pairing_code_wanted = false
    where id = ${connectionId} and pairing_code_wanted returning id`.execute(db);
  return rows.length > 0;
}

/**
 * Deletes a connection: humans get its doubts, which cannot be resent; campaigns stop with a reason and keep
 * results.
 */
export async function removeConnection(
  db: Db,
  lane: Pick<AcquiredConnection, "connectionId" | "fence">,
): Promise<void> {
  const { connectionId, fence } = lane;
  await awaitStarts(db, { connectionId });
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ kind: string }>`select kind from connection
      where id = ${connectionId} and fence = ${fence} and desired = 'removed' for update`.execute(tx);
    if (!rows[0]) return;
    await sql`select from campaign where connection_id = ${connectionId} order by id for no key update`.execute(
      tx,
    );
    const inHand = { connectionId, fence: fence + 1 };
    if (rows[0].kind === "instance") await giveBackInDoubt(tx, inHand, { reconcileMs: 0 });
    await giveBackInDoubt(tx, inHand, "uncertain");
    await settleKnown(tx, connectionId);
    await pauseCampaignsOf(tx, connectionId, "connection_removed");
    await notifyUnsent(tx, connectionId);
    await sql`delete from connection where id = ${connectionId}`.execute(tx);
  });
}

/**
 * A copy without owners: claimed people may have the message, and even the same id would duplicate the
 * original's. People decide.
 */
export async function leaveAllInDoubt(tx: Db): Promise<void> {
  const { rows } = await sql<{ connectionId: number; fence: number }>`update connection
    set fence = fence + 1, owner = null returning id as "connectionId", fence`.execute(tx);
  for (const lane of rows) await giveBackInDoubt(tx, lane, "uncertain");
}

/**
 * The embedded database has no other process: old leases ended at boot. Owners stay named to mark possible
 * messages in flight.
 */
export async function releaseAllLanes(db: Db): Promise<void> {
  await deleteWorkers(db);
}
