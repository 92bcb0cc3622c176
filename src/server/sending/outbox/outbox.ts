import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { DELIVERY, type DeliveryState, deliveryState } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { IS_TIME, isDue } from "../ledger/due.ts";
import { warmOutbox } from "../ledger/known-conversations.ts";
import { notifyOfDirectMessage, OUTBOX_CHANNEL } from "../ledger/signals.ts";
import { aboutOf, type Referred } from "./about.ts";
import { BEARING, type BearingRow } from "./content.ts";

/** A phone to look up, or a WhatsApp address used as is (group, or person with only a hidden address). */
export type OutboxTo = { phone: string } | { jid: string };

/** Its WhatsApp id is random, stored, and the same on every resend. */
export type NewOutboxMessage = {
  connectionId: number;
  to: OutboxTo;
  text: string;
  attachmentId: number | null;
  idempotencyKey: string | null;
  /** Sender: REST interface, chat user, assistant, opt-out reply, campaign test. */
  origin: "api" | "chat" | "agent" | "opt_out" | "test";
  sendAt?: Date | null;
  about?: { key: string; of: Referred; action: "react" | "delete" | null } | null;
};

export type OutboxResult = { id: number; state: DeliveryState; error: string | null };

/**
 * Stores a message and wakes its lane. A repeated idempotency key returns the stored message (`existing`);
 * with another body it throws `idempotency_mismatch`.
 */
export async function enqueue(
  owner: Owner,
  message: NewOutboxMessage,
): Promise<{ id: number; existing: boolean }> {
  const {
    connectionId,
    to,
    text,
    attachmentId,
    idempotencyKey,
    origin,
    about = null,
    sendAt = null,
  } = message;
  const [phone, jid] = "phone" in to ? [to.phone, null] : [null, to.jid];
  const body = createHash("sha256")
    .update(
      JSON.stringify([
        connectionId,
        phone ?? jid,
        text,
        attachmentId,
        ...(about ? [about.key] : []),
        ...(sendAt ? [sendAt] : []),
      ]),
    )
    .digest();
  const messageId = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
  const of = about && JSON.stringify(await aboutOf(owner, connectionId, about.of));
  const inserted = await sql<{ id: number }>`insert into outbox
      (account_id, connection_id, phone, jid, text, attachment_id, message_id, idempotency_key, body_hash, origin,
        about_key, about, action, send_at, created_at)
    select ${owner.accountId}::uuid, c.id, ${phone}::bigint, ${jid}, ${text}, ${attachmentId}, ${messageId}, ${idempotencyKey}, ${body}, ${origin},
      ${about?.key ?? null}, ${of}::jsonb, ${about?.action ?? null},
      ${sendAt}, coalesce(${sendAt}::timestamptz, now())
    from connection c where c.id = ${connectionId} and c.account_id = ${owner.accountId}::uuid
    on conflict (account_id, idempotency_key) do nothing returning id`.execute(owner.db);
  if (inserted.rows[0]) {
    await notifyOfDirectMessage(owner.db, connectionId);
    return { id: inserted.rows[0].id, existing: false };
  }
  const known = await sql<{ id: number; same: boolean }>`select id, body_hash = ${body} as same from outbox
    where account_id = ${owner.accountId}::uuid and idempotency_key = ${idempotencyKey}`.execute(owner.db);
  const row = known.rows[0];
  if (!row) throw new AppError("not_found");
  if (!row.same) throw new AppError("idempotency_mismatch");
  return { id: row.id, existing: true };
}

export async function cancelScheduled({ db, accountId }: Owner, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from outbox
    where id = ${id} and account_id = ${accountId}::uuid and send_at is not null and status = ${DELIVERY.pending}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** SQL: direct messages of all accounts on their way, counted up to `most`. */
export const countOnTheWay = (most: number) =>
  sql<number>`(select count(*)::int from (select from outbox where status = any(array[0, 1, 2]) limit ${most}) q)`;

/** SQL: a test of a campaign arrived at WhatsApp. */
export const hasTested = ({ accountId }: Owner) => sql<boolean>`exists (
  select 1 from outbox where account_id = ${accountId}::uuid and origin = 'test' and status >= ${DELIVERY.sent})`;

export async function readOutbox(owner: Owner, id: number): Promise<OutboxResult | undefined> {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from outbox
    where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0] && { id, state: deliveryState(rows[0].status), error: rows[0].error };
}

export type OutboxClaimed = {
  id: number;
  phone: string | null;
  jid: string | null;
  text: string;
  attachmentId: number | null;
  messageId: string;
  tries: number;
  ambiguous: boolean;
} & Partial<BearingRow>;

/** A late assistant answer helps no one: a person may have answered. */
const ANSWER_LASTS = sql`interval '15 minutes'`;

async function endLateAnswers(tx: Db, connectionId: number): Promise<void> {
  await sql`with late as (
      update outbox set status = ${DELIVERY.error}, error = 'answer_late', at = now()
      where connection_id = ${connectionId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting})
        and origin = 'agent' and not ambiguous and created_at < now() - ${ANSWER_LASTS} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from late`.execute(tx);
}

/** Withdraws surely unsent assistant answers, these or a connection's, as errors (`answer_withdrawn`). */
export async function withdrawAnswers(
  owner: Owner,
  of: { ids: readonly number[] } | { connectionId: number },
): Promise<void> {
  const these =
    "ids" in of ? sql`id = any(${[...of.ids]}::bigint[])` : sql`connection_id = ${of.connectionId}`;
  await sql`with withdrawn as (
      update outbox set status = ${DELIVERY.error}, error = 'answer_withdrawn', at = now()
      where id in (
        select id from outbox where ${these} and account_id = ${owner.accountId}::uuid
          and status in (${DELIVERY.pending}, ${DELIVERY.waiting}) and origin = 'agent' and not ambiguous order by id for update)
      returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from withdrawn`.execute(owner.db);
}

/**
 * Next messages, oldest first, but programs' last: thousands of them must not delay chats. `doubts` allows
 * resends, `coldWaits` only warm people. Null: ownership lost.
 */
export async function claimOutbox(
  db: Db,
  lane: { connectionId: number; fence: number },
  want: number,
  doubts: boolean,
  coldWaits = false,
): Promise<OutboxClaimed[] | null> {
  const warm = coldWaits ? sql`and ${sql.raw(warmOutbox("o.connection_id", "o"))}` : sql``;
  return db.transaction().execute(async (tx) => {
    const { rows: owned } = await sql<{ open: boolean }>`
      select a.removed_at is null and a.suspended_at is null as open from connection c join account a on a.id = c.account_id
      where c.id = ${lane.connectionId} and c.fence = ${lane.fence} for no key update of c`.execute(tx);
    const [mine] = owned;
    if (!mine) return null;
    // A deleted account (its job may run for minutes) or suspended one sends nothing.
    if (!mine.open) return [];
    await endLateAnswers(tx, lane.connectionId);
    const { rows } = await sql<
      OutboxClaimed & { program: boolean }
    >`update outbox o set status = ${DELIVERY.sending}, fence = ${lane.fence},
        not_before = null
      where id in (
        select o.id from outbox o where o.connection_id = ${lane.connectionId} ${warm}
          and (status = ${DELIVERY.pending} and ${sql.raw(IS_TIME)}
            or (status = ${DELIVERY.waiting} and ${sql.raw(isDue("not_before"))} and (not ambiguous or ${doubts})))
        order by (origin = 'api'), id limit ${want})
        -- Rechecked after a lock wait: the answer may be withdrawn.
        and status in (${DELIVERY.pending}, ${DELIVERY.waiting})
      returning id, origin = 'api' as program, phone::text as phone, jid, text, attachment_id as "attachmentId", message_id as "messageId", tries, ambiguous, ${BEARING}`.execute(
      tx,
    );
    return rows.sort((a, b) => Number(a.program) - Number(b.program) || a.id - b.id);
  });
}

/** Records the outcome unless a receipt or new owner knows more; notifies waiters. */
export async function finishOutbox(
  db: Db,
  fence: number,
  id: number,
  end: {
    status: number;
    at: number;
    error: string | null;
    attempts: number;
    ambiguous: boolean;
    delayMs: number;
  },
): Promise<void> {
  await sql`with done as (
      update outbox set status = ${end.status}, at = to_timestamp(${end.at / 1000}), error = ${end.error}, tries = tries + ${end.attempts},
        ambiguous = ambiguous or ${end.ambiguous}, not_before = now() + ${end.delayMs} * interval '1 millisecond'
      where id = ${id} and status = ${DELIVERY.sending} and fence = ${fence} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
}
