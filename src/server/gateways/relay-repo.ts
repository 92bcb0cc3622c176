import { type RawBuilder, sql } from "kysely";
import { inIndexOrder } from "../db/by-index.ts";
import type { Db } from "../db/client.ts";
import { IS_RESTORE_LOCKED } from "../db/restore-lock.ts";
import { isSuspended } from "../db/suspended.ts";

export type Relay = {
  id: number;
  connectionId: number;
  accountId: string;
  body: string;
  tries: number;
  /** Null: the user removed the address. */
  url: string | null;
};

/** Repeated messages are not relayed again. */
export async function addRelays(
  tx: Db,
  events: readonly { connectionId: number; key: string; body: string }[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`insert into webhook_relay (connection_id, key, body)
    select t.connection_id, t.key, t.body
    from unnest(${events.map((one) => one.connectionId)}::bigint[], ${events.map((one) => one.key)}::text[],
      ${events.map((one) => one.body)}::text[]) as t(connection_id, key, body)
    join instance i on i.connection_id = t.connection_id and i.relay_url is not null
    on conflict (connection_id, key) do nothing`.execute(tx);
}

/** Body bytes in flight; the last message may exceed it. */
export type RelayRoom = {
  /** Messages above `small` cannot take everything. */
  left: number;
  leftForLarge: number;
  ownOfLarge: number;
  small: number;
  ofAccount: Held;
  held: ReadonlyMap<string, Held>;
};

export type Held = { bytes: number; messages: number };

type Take = { each: number; busy: readonly number[]; room: RelayRoom; leaseMs: number };

/**
 * At most `each` per instance, skipping `busy`: a slow address delays only itself. Small first, then the
 * least-using account; retried after `leaseMs`.
 */
export async function takeRelays(db: Db, { each, busy, room, leaseMs }: Take): Promise<Relay[]> {
  const holders = [...room.held.values()];
  // By a join the planner, whose statistics may say that no message waits, would walk all of them.
  const ofInstance = (column: string) =>
    sql`(select ${sql.ref(column)} from instance where connection_id = r.connection_id)`;
  // One index step per instance, however many messages wait.
  const first = (after: RawBuilder<unknown>) => sql`(select connection_id, next_at from webhook_relay
    where done_at is null ${after} order by connection_id, next_at, id limit 1)`;
  const take = sql<Relay>`with recursive first as (
      ${first(sql``)} union all
      select n.* from first f cross join lateral ${first(sql`and connection_id > f.connection_id`)} n),
    waiting as (
      select connection_id from first
      where next_at <= now() and not connection_id = any(${busy}::bigint[]) and not ${IS_RESTORE_LOCKED}
        and not exists (select from connection c
          where c.id = first.connection_id and ${isSuspended(sql.ref("c.account_id"))})),
    holding as (select * from unnest(${[...room.held.keys()]}::uuid[], ${holders.map(({ bytes }) => bytes)}::bigint[],
      ${holders.map(({ messages }) => messages)}::int[]) as t(account_id, held_bytes, held_messages)),
    due as (
      select r.id, r.next_at, r.bytes, r.bytes > ${room.small} as large, account_id,
        coalesce(held_bytes, 0) as held_bytes, coalesce(held_messages, 0) as held_messages
      from waiting join instance using (connection_id) left join holding using (account_id)
      cross join lateral (
        select id, next_at, octet_length(body) as bytes from webhook_relay w
        where w.connection_id = waiting.connection_id and w.done_at is null and w.next_at <= now()
        order by w.next_at, w.id limit ${each} for update skip locked) r),
    fair as (
      select *, held_bytes + sum(bytes) over own - bytes as of_account, held_messages + row_number() over own as nth from due
      window own as (partition by account_id order by large, next_at, id)),
    fitting as (
      select id, large, sum(bytes) over (order by large, of_account, next_at, id) - bytes as before,
        sum(bytes) over (partition by large order by of_account, next_at, id) - bytes as before_alike
      from fair where of_account < ${room.ofAccount.bytes} and nth <= ${room.ofAccount.messages})
    update webhook_relay r set tries = r.tries + 1, next_at = now() + make_interval(secs => ${leaseMs / 1000})
    where r.id = any(array(
      select f.id from fitting f
      where f.before < case when f.large then ${room.leftForLarge}::bigint else ${room.left}::bigint end
        or f.large and f.before_alike < ${room.ownOfLarge}::bigint))
    returning r.id, r.connection_id as "connectionId", ${ofInstance("account_id")} as "accountId", r.body, r.tries,
      ${ofInstance("relay_url")} as url`;
  return inIndexOrder(db, async (tx) => (await take.execute(tx)).rows);
}

export type Attempt = { status: number | null; error: string | null; again: number | null };

export async function recordAttempt(db: Db, relay: Relay, attempt: Attempt): Promise<void> {
  const { status, error, again } = attempt;
  if (again !== null) {
    await sql`update webhook_relay set status = ${status}, error = ${error},
        next_at = now() + make_interval(secs => ${again / 1000}) where id = ${relay.id}`.execute(db);
  } else {
    await sql`update webhook_relay set status = ${status}, error = ${error}, body = null, done_at = now()
      where id = ${relay.id}`.execute(db);
  }
  // A former address's result says nothing about the new one.
  await sql`update instance set relay_at = now(), relay_status = ${status}, relay_error = ${error}
    where connection_id = ${relay.connectionId} and relay_url = ${relay.url}`.execute(db);
}

/** Relayed ones after a week; others are given up after a day. */
export async function pruneRelays(db: Db): Promise<void> {
  await sql`delete from webhook_relay where created_at < now() - interval '7 days'`.execute(db);
  await sql`update webhook_relay set body = null, done_at = now(), error = coalesce(error, 'expired')
    where done_at is null and created_at < now() - interval '1 day'`.execute(db);
}

/** Every waiting message. */
export async function giveUpRelays(tx: Db, error: string): Promise<void> {
  await sql`update webhook_relay set done_at = now(), body = null, error = ${error} where done_at is null`.execute(
    tx,
  );
}
