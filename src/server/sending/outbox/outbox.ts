import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { DELIVERY, type DeliveryState, deliveryState } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Database, Db } from "../../db/client.ts";
import type { Listener } from "../../db/listen.ts";
import type { Owner } from "../../db/owner.ts";
import { isDue } from "../ledger/due.ts";
import { warmOutbox } from "../ledger/known-conversations.ts";
import { notifyOfDirectMessage, OUTBOX_CHANNEL, UNSENT } from "../ledger/signals.ts";

/**
 * Whom a single message goes to: a canonical phone, whose address is asked for, or an address as WhatsApp writes it (a group, or a
 * person of whom it tells only the hidden one), which is used as it is.
 */
export type OutboxTo = { phone: string } | { jid: string };

/** A message outside campaigns. Its id on WhatsApp is random, kept in its row, and the same on every resend. */
export type NewOutboxMessage = {
  connectionId: number;
  to: OutboxTo;
  text: string;
  imageId: number | null;
  idempotencyKey: string | null;
  /** Who writes: the REST interface, a person in the chat, an assistant, ourselves to somebody who left, a person trying a campaign. */
  origin: "api" | "chat" | "agent" | "opt_out" | "test";
};

/**
 * A caller's key as the outbox keeps it. Ours name their kind first (`agent:7`, `chat_retry:7`, `test:…`, `opt_out:…`) and stand in the same
 * column: a caller who used such a text would keep that message from being sent. Any other key stays as it is, so that a repetition
 * finds what was stored under it before.
 */
export const callersKey = (key: string): string =>
  /^(agent|chat_retry|test|opt_out|caller):/.test(key) ? `caller:${key}` : key;

export type OutboxResult = { id: number; state: DeliveryState; error: string | null };

/**
 * Stores a message for the connection's lane and wakes it. The same idempotency key with the same body answers the stored message
 * (`existing`); with another body it throws AppError `idempotency_mismatch`.
 */
export async function enqueue(
  owner: Owner,
  message: NewOutboxMessage,
): Promise<{ id: number; existing: boolean }> {
  const { connectionId, to, text, imageId, idempotencyKey, origin } = message;
  const [phone, jid] = "phone" in to ? [to.phone, null] : [null, to.jid];
  const body = createHash("sha256")
    .update(JSON.stringify([connectionId, phone ?? jid, text, imageId]))
    .digest();
  const messageId = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
  const inserted = await sql<{ id: number }>`insert into outbox
      (account_id, connection_id, phone, jid, text, image_id, message_id, idempotency_key, body_hash, origin)
    select ${owner.accountId}::uuid, c.id, ${phone}::bigint, ${jid}, ${text}, ${imageId}, ${messageId}, ${idempotencyKey}, ${body}, ${origin}
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

/** Where a message of the outbox stands; undefined: there is none. */
export async function readOutbox(owner: Owner, id: number): Promise<OutboxResult | undefined> {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from outbox
    where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0] && { id, state: deliveryState(rows[0].status), error: rows[0].error };
}

/** Its connection was removed, and the message with it: surely not sent (`unsent`), or nobody knows. */
export type OutboxGone = { id: number; state: "gone"; unsent: boolean };

export type OutboxWaiter = {
  /** Resolves when the message is settled or gone, or with its state when `ms` have passed. */
  wait(owner: Owner, id: number, ms: number): Promise<OutboxResult | OutboxGone>;
  close(): Promise<void>;
};

const isOpen = (state: DeliveryState) => state === "pending" || state === "sending" || state === "waiting";

/** What a gateway took is confirmed within a second or two; a caller is not kept for longer than this. */
const CONFIRMED_IN_MS = 3_000;

/** Hears which messages were settled, by whichever process, and tells those who wait for them, and `changed` of each. */
export async function openOutboxWaiter(
  database: Database,
  changed: (id: number) => void = () => undefined,
): Promise<OutboxWaiter> {
  const waiting = new Map<number, Set<(unsent: boolean) => void>>();
  const tell = (id: number, unsent = false) => {
    for (const told of waiting.get(id) ?? []) told(unsent);
  };
  const listener: Listener = await database.listen(
    OUTBOX_CHANNEL,
    (payload) => {
      const [id, end] = payload.split(" ");
      tell(Number(id), end === UNSENT);
      changed(Number(id));
    },
    () => {
      for (const id of waiting.keys()) tell(id);
    },
  );

  async function wait(owner: Owner, id: number, ms: number): Promise<OutboxResult | OutboxGone> {
    let until = performance.now() + ms;
    let accepted = false;
    let unsent = false;
    for (;;) {
      const told = hear(id, () => {
        unsent = true;
      });
      try {
        const result = await readOutbox(owner, id);
        if (!result) return { id, state: "gone", unsent };
        if (result.state === "accepted" && !accepted) {
          accepted = true;
          until = Math.min(until, performance.now() + CONFIRMED_IN_MS);
        }
        const left = until - performance.now();
        if (!(accepted ? result.state === "accepted" : isOpen(result.state)) || left <= 0) return result;
        await told.heard(left);
      } finally {
        told.stop();
      }
    }
  }

  /** Listens before the row is read: a message settled in between is not missed. */
  function hear(id: number, endsUnsent: () => void) {
    let wake = () => {};
    const heard = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const listeners = waiting.get(id) ?? new Set();
    const listener = (unsent: boolean) => {
      if (unsent) endsUnsent();
      wake();
    };
    listeners.add(listener);
    waiting.set(id, listeners);
    return {
      heard: async (ms: number) => {
        const timer = setTimeout(wake, ms);
        await heard;
        clearTimeout(timer);
      },
      stop: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && waiting.get(id) === listeners) waiting.delete(id);
      },
    };
  }

  return { wait, close: () => listener.close() };
}

/** A message handed to the lane: `jid` is the address of one that names no phone. */
export type OutboxClaimed = {
  id: number;
  phone: string | null;
  jid: string | null;
  text: string;
  imageId: number | null;
  messageId: string;
  tries: number;
  ambiguous: boolean;
};

/** An assistant's answer to what somebody asked this long ago helps nobody any more; a person may have answered by other means. */
const ANSWER_LASTS = sql`interval '15 minutes'`;

/** Answers that waited for their connection for too long end as errors, with nothing sent. Whoever shows them is told. */
async function endLateAnswers(tx: Db, connectionId: number): Promise<void> {
  await sql`with late as (
      update outbox set status = ${DELIVERY.error}, error = 'answer_late', at = now()
      where connection_id = ${connectionId} and status in (${DELIVERY.pending}, ${DELIVERY.waiting})
        and origin = 'agent' and not ambiguous and created_at < now() - ${ANSWER_LASTS} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from late`.execute(tx);
}

/**
 * Takes back answers of an assistant that have surely not left: these messages, or all of a connection. They end as errors
 * (`answer_withdrawn`); whoever shows them is told.
 */
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
 * Hands the lane its next messages, oldest first, but those that programs stored after all others: thousands of them must not hold up who
 * answers in a chat. Doubtful ones only when `doubts` says so; with `coldWaits` those to warm people alone. Null: the lane lost its
 * ownership.
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
    // A deleted account sends nothing more, although a job may take minutes until it takes its messages away. Nor does a suspended one.
    if (!mine.open) return [];
    await endLateAnswers(tx, lane.connectionId);
    const { rows } = await sql<
      OutboxClaimed & { program: boolean }
    >`update outbox o set status = ${DELIVERY.sending}, fence = ${lane.fence},
        not_before = null
      where id in (
        select o.id from outbox o where o.connection_id = ${lane.connectionId} ${warm}
          and (status = ${DELIVERY.pending}
            or (status = ${DELIVERY.waiting} and ${sql.raw(isDue("not_before"))} and (not ambiguous or ${doubts})))
        order by (origin = 'api'), id limit ${want})
        -- Asked again of a row that somebody was just changing: an answer may have been withdrawn.
        and status in (${DELIVERY.pending}, ${DELIVERY.waiting})
      returning id, origin = 'api' as program, phone::text as phone, jid, text, image_id as "imageId", message_id as "messageId", tries, ambiguous`.execute(
      tx,
    );
    return rows.sort((a, b) => Number(a.program) - Number(b.program) || a.id - b.id);
  });
}

/** Records what became of a message, unless a receipt or a new owner has told more; wakes whoever waits for it. */
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
