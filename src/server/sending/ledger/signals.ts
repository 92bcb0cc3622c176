import { sql } from "kysely";
import type { Db } from "../../db/client.ts";

/** Channel on which whoever changes something tells the lanes' owner to look; lanes also look by themselves, only later. */
export const LANE_CHANNEL = "recado_lane";

/** Channel on which a lane says that an outbox message has its answer. Payload: the message's id, and `UNSENT` where it goes so. */
export const OUTBOX_CHANNEL = "recado_outbox";

/** A message goes with its connection, and has surely not left. */
export const UNSENT = "unsent";

/** Something changed for a connection's lane: campaigns, a pause, or what people want of it. Delivered when the transaction commits. */
export async function wakeLane(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`lane:${connectionId}`})`.execute(tx);
}

/**
 * A single message is stored for a connection's lane. Apart from `wakeLane`: it stops nothing, so that nothing need wait until it is
 * known. A caller may store them faster than a lane looks at its campaigns.
 */
export async function notifyOfDirectMessage(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`single:${connectionId}`})`.execute(tx);
}

/** Somebody answers in a chat of this connection: its owner shows it to the other side. */
export async function showTyping(db: Db, connectionId: number, jid: string): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`typing:${connectionId}:${jid}`})`.execute(db);
}

/** What is this group called? Its connection's owner asks the provider. */
export async function askGroupName(db: Db, connectionId: number, jid: string): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`group:${connectionId}:${jid}`})`.execute(db);
}

/** Why campaigns leave a person out: they want none, or what they wrote sounds like it and a human has not decided yet. */
export type LeftOut = "opted_out" | "asked_to_leave";

/** A person is left out of campaigns from now on: lanes that have them in hand put them aside. */
export async function dropFromLanes(tx: Db, accountId: string, phone: string, why: LeftOut): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`left:${accountId}:${phone}:${why}`})`.execute(tx);
}

/** The provider said that something changed at a connection of kind `instance`: its owner asks what. */
export async function pokeLane(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${`poke:${connectionId}`})`.execute(tx);
}

/** A connection has no owner any more: who has room for it need not wait for its next look. */
export async function laneIsFree(tx: Db): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, ${FREE})`.execute(tx);
}

export const FREE = "free";

/** A person may have asked to leave the campaigns of an account, in an event that is not read yet. Payload: `unread:` and the account. */
export const UNREAD = "unread";

/** A campaign waits to be started. */
export async function wakeStarter(tx: Db): Promise<void> {
  await sql`select pg_notify(${LANE_CHANNEL}, 'start')`.execute(tx);
}
