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
import { showOutboxDoubts, tellUnsent } from "../outbox/outbox-settle.ts";
import { settleKnown } from "../receipts/provider-messages.ts";
import { forgetWorkers, IS_FREE, WANTS_OWNER, type Worker } from "./workers.ts";

/** How long an ownership lasts without being renewed, in seconds of the database's clock. */
export const LEASE_S = 6;

/** Why somebody in hand is in doubt when the lane's owner ended. */
const INTERRUPTED = "interrupted";

/**
 * What a doubt of a device becomes: sent again under the same id (unless the operator says never), or shown to a human at once. A
 * gateway takes no id of ours, so its doubts are never sent again: they wait to be found (reconcile.ts), whatever this says.
 */
export type Doubt = "resend" | "uncertain";

/**
 * What becomes of those in hand: a device's doubt, or the milliseconds that a gateway's may be looked for; whose message was not begun
 * there (wire-marks.ts) is given back clean.
 */
type Fate = Doubt | { reconcileMs: number };

const fateOf = (kind: string, doubt: Doubt, reconcileMs: number): Fate =>
  kind === "instance" ? { reconcileMs } : doubt;

/** A person wanted it again while it was being ended; that it has ended was said after their word, and would keep it at rest. */
const WANTED_AGAIN = sql`(desired = 'connected' and state = 'disconnected' and state_reason is not distinct from 'disconnected_by_user')`;

/**
 * Makes `owner` the only one who may claim and send through a connection: raises its fence (which waits for a running turn of the
 * former owner, and makes its next one answer nothing), then gives back, in doubt, everyone the former owner had in hand.
 * Returns null when the lease of another owner still lasts, the installation is held (db/hold.ts) or the account suspended.
 * READ COMMITTED on purpose: each statement sees what the one before it waited for.
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

/**
 * Whether an owner's lease lasts. One that has ended is locked until the take-over is committed: a renewal that comes late waits for it, and
 * then sees what was taken.
 */
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
    // Of a cancelled one as well: who is in doubt there is left to a human when it is swept (campaign-clock.ts).
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

/** Doubts alone count an attempt; what is written of the columns is read from the row as it was. */
const begunInDoubt = (ms: number) => sql`ambiguous = d.not_before is not null,
  tries = d.tries + case when d.not_before is null then 0 else 1 end,
  error = case when d.not_before is null then null else ${INTERRUPTED} end,
  not_before = case when d.not_before is null then null else now() + ${ms} * interval '1 millisecond' end`;

/**
 * Renews the lease of a process, and with it the ownership of all its connections. `leaving`: others take its share already. Answers the
 * connections it still owns, with their fence and what people want. READ COMMITTED on purpose: the last statement must see the take-over that
 * the first one waited for.
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
 * The first lease of a process, or of one that was forgotten. Who takes a connection of a forgotten one finds no lease to lock: with its fences
 * raised it acts on nothing that may be taken right now, and takes its connections again.
 */
async function beginLease(tx: Db, { id, kinds, dataFolder }: Worker, leaving: boolean): Promise<void> {
  await sql`insert into worker (id, kinds, data_folder, leaving, lease_until)
    values (${id}::uuid, ${[...kinds]}::text[], ${dataFolder}::uuid, ${leaving}, ${LEASE_END})`.execute(tx);
  // In the order of their ids, as all others who lock several of them; a statement of its own, which changes the rows as they are then.
  const { rows } = await sql<{ id: number }>`select id from connection where owner = ${id}::uuid
    order by id for no key update`.execute(tx);
  if (rows.length === 0) return;
  await sql`update connection set fence = fence + 1 where id = any(${rows.map((row) => row.id)}::bigint[])`.execute(
    tx,
  );
}

/** Far longer than any lease is: a clock that is put right by a few seconds shortens none. */
const LONGEST_LEASE = sql`interval '10 minutes'`;

/**
 * Leases that end later than any can were given before the database's clock was set back, and what a process that died since owned could not be
 * taken. They last as long as one given now: a process that lives renews its own, so that it loses nothing by it.
 */
export async function shortenLeases(db: Db): Promise<void> {
  const late = sql`lease_until > now() + ${LONGEST_LEASE}`;
  if ((await executePrepared(sql`select from worker where ${late}`, db)).length === 0) return;
  await sql`update worker set lease_until = ${LEASE_END} where ${late}`.execute(db);
}

export type Renewed = { connectionId: number; fence: number; desired: string; pairingCodeWanted: boolean };

/** Accounts with connections of these kinds that want an owner and have none, without those in `except`; the oldest first. */
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

/**
 * Connections of a kind, of all accounts or of one, that want an owner and have none, up to `limit`, oldest first, without those in `except`.
 * Those that another process is taking now are left out.
 */
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
 * Gives an ownership up at once, so that another process need not wait for the lease to end; whoever is still on the wire is given back
 * in doubt, for there may be no next owner to do it.
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

/** Whether a pairing code is wanted of a connection. Of two who ask one is told so: a second code would end the first. */
export async function takeCodeWish(db: Db, connectionId: number): Promise<boolean> {
  const { rows } = await sql`update connection set pairing_code_wanted = false
    where id = ${connectionId} and pairing_code_wanted returning id`.execute(db);
  return rows.length > 0;
}

/**
 * Deletes a connection whose removal was asked for: what is in doubt nobody can send again, so humans read it; its campaigns stop with
 * their cause and keep what they have done.
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
    // All that are touched below, also for the connection that they lose: in the order in which others lock several.
    await sql`select from campaign where connection_id = ${connectionId} order by id for no key update`.execute(
      tx,
    );
    const inHand = { connectionId, fence: fence + 1 };
    if (rows[0].kind === "instance") await giveBackInDoubt(tx, inHand, { reconcileMs: 0 });
    await giveBackInDoubt(tx, inHand, "uncertain");
    // The ids of its messages go with it.
    await settleKnown(tx, connectionId);
    await pauseCampaignsOf(tx, connectionId, "connection_removed");
    await tellUnsent(tx, connectionId);
    await sql`delete from connection where id = ${connectionId}`.execute(tx);
  });
}

/**
 * In a copy of this installation, which nobody owns yet: whoever was in hand when the copy was made may have got the message since, and
 * even a resend under the same id would be one beside the original's. People decide.
 */
export async function leaveAllInDoubt(tx: Db): Promise<void> {
  const { rows } = await sql<{ connectionId: number; fence: number }>`update connection
    set fence = fence + 1, owner = null returning id as "connectionId", fence`.execute(tx);
  for (const lane of rows) await giveBackInDoubt(tx, lane, "uncertain");
}

/**
 * With the embedded database no other process can be alive: the leases that the last run left have ended at boot. The owners stay named,
 * which says that people may be on the wire.
 */
export async function releaseAllLanes(db: Db): Promise<void> {
  await forgetWorkers(db);
}
