import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { OUTBOX_CHANNEL, UNSENT } from "../ledger/signals.ts";

/** Leaves every doubtful message to a human and notifies its waiters. */
export async function showOutboxDoubts(tx: Db, connectionId: number, reason: string): Promise<void> {
  await sql`with done as (
      update outbox set status = ${DELIVERY.uncertain}, error = ${reason}
      where connection_id = ${connectionId} and status = ${DELIVERY.waiting} and ambiguous returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(tx);
}

/** Before messages go with their connection: notifies waiters of unsent ones, who can no longer read them. */
export async function notifyUnsent(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${OUTBOX_CHANNEL}, id || ' ' || ${UNSENT}) from outbox
    where connection_id = ${connectionId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting})`.execute(
    tx,
  );
}

export async function settleOutbox(db: Db, messageId: string, status: number, at: Date): Promise<void> {
  await sql`with done as (
      update outbox set status = ${status}, at = coalesce(at, ${at}), error = null where message_id = ${messageId} and status < ${status} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
}

/** `from`: allowed former states; without it any state below `to` (late result). */
export type OutboxMove = {
  id: number;
  to: number;
  at: Date;
  error?: string | null;
  from?: readonly number[];
};

/**
 * As `settle`: idempotent in any order. The time of sending stays, since the month counts by it; notifies
 * waiters.
 */
export async function moveOutbox(db: Db, { id, to, at, error = null, from }: OutboxMove): Promise<boolean> {
  const allowed = from ? sql`status = any(${[...from]}::smallint[])` : sql`status < ${to}`;
  const { rows } = await sql`with done as (
      update outbox set status = ${to}, at = case when status >= ${DELIVERY.accepted} then coalesce(at, ${at}) else ${at} end, error = ${error}
      where id = ${id} and ${allowed} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
  return rows.length > 0;
}
