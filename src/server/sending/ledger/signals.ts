import { sql } from "kysely";
import type { Db } from "../../db/client.ts";

/** Wakes a lane's owner; without it the lane looks later. */
export const LANE_CHANNEL = "recado_lane";

/** An outbox message has its answer: id, plus `UNSENT` if removed unsent. */
export const OUTBOX_CHANNEL = "recado_outbox";

export const UNSENT = "unsent";

export async function wakeLane(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`lane:${connectionId}`})`.execute(tx);
}

/**
 * Separate from `wakeLane`: it stops nothing, so nothing waits for it; callers may store faster than a lane
 * reads campaigns.
 */
export async function notifyOfDirectMessage(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`single:${connectionId}`})`.execute(tx);
}

export async function showTyping(db: Db, connectionId: number, jid: string): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`typing:${connectionId}:${jid}`})`.execute(db);
}

export async function askGroupName(db: Db, connectionId: number, jid: string): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`group:${connectionId}:${jid}`})`.execute(db);
}

export async function askFiles(db: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`files:${connectionId}`})`.execute(db);
}

/** `asked_to_leave`: possible opt-out, not yet decided. */
export type LeftOut = "opted_out" | "asked_to_leave";

export async function dropFromLanes(tx: Db, accountId: string, phone: string, why: LeftOut): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`left:${accountId}:${phone}:${why}`})`.execute(tx);
}

export async function pokeLane(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`poke:${connectionId}`})`.execute(tx);
}

export async function laneIsFree(tx: Db): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${FREE})`.execute(tx);
}

export const FREE = "free";

/** Unread possible opt-out; payload `unread:` and the account. */
export const UNREAD = "unread";

export async function wakeStarter(tx: Db): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, 'start')`.execute(tx);
}
