import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { OUTBOX_CHANNEL, UNSENT } from "../ledger/signals.ts";

/** Every doubtful message that waits to be sent again is left to a human; whoever waits for one is told. */
export async function showOutboxDoubts(tx: Db, connectionId: number, reason: string): Promise<void> {
  await sql`with done as (
      update outbox set status = ${DELIVERY.uncertain}, error = ${reason}
      where connection_id = ${connectionId} and status = ${DELIVERY.waiting} and ambiguous returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(tx);
}

/**
 * Before the messages of a connection go with it: whoever waits for one that was not sent is told so, and can read it no more. Doubts are shown
 * already.
 */
export async function tellUnsent(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${OUTBOX_CHANNEL}, id || ' ' || ${UNSENT}) from outbox
    where connection_id = ${connectionId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting})`.execute(
    tx,
  );
}

/** Receipts and late truth about a message of the outbox, by our id of it: only upwards. */
export async function settleOutbox(db: Db, messageId: string, status: number, at: Date): Promise<void> {
  await sql`with done as (
      update outbox set status = ${status}, at = coalesce(at, ${at}), error = null where message_id = ${messageId} and status < ${status} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
}

/** A change of a single message: `from` lists the states it may come from, or is left out for late truth (any state below `to`). */
export type OutboxMove = {
  id: number;
  to: number;
  at: Date;
  error?: string | null;
  from?: readonly number[];
};

/**
 * As `settle` for people of campaigns: safe to repeat and in any order. Its time stays that of its sending, by whose month it counts. Tells
 * whoever waits.
 */
export async function moveOutbox(db: Db, { id, to, at, error = null, from }: OutboxMove): Promise<boolean> {
  const allowed = from ? sql`status = any(${[...from]}::smallint[])` : sql`status < ${to}`;
  const { rows } = await sql`with done as (
      update outbox set status = ${to}, at = case when status >= ${DELIVERY.accepted} then coalesce(at, ${at}) else ${at} end, error = ${error}
      where id = ${id} and ${allowed} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
  return rows.length > 0;
}
