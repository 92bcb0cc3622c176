import { setInterval } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { inIndexOrder } from "../db/by-index.ts";
import type { Db, Prepared } from "../db/client.ts";
import { sqlParts } from "../sending/sending.ts";

export type StateToRead = {
  connectionId: number;
  event: string;
  body: string;
  receivedAt: Date;
  /** Null: the instance and its events are gone. */
  accountId: string | null;
};

export type EventToRead = StateToRead & {
  id: number;
  key: string;
  tries: number;
  relays: boolean;
  /** May contain an opt-out, so it goes first. */
  leaving: boolean;
};

/** Events and bytes; images have their own budget. */
const ROWS = 200;
const BYTES = 8 * 1024 * 1024;
/** Larger ones contain images and are slow: a few per batch, last. */
const SMALL = 256 * 1024;
const PICTURES = 4;
const WINDOW = 2_000;
const MOST_ID = "9223372036854775807";

const COLUMNS = sql`e.connection_id as "connectionId", e.body, e.received_at as "receivedAt", i.account_id as "accountId"`;

/**
 * Effects run outside the transaction, which sends heartbeats. A frozen process loses its events after this,
 * as they may contain opt-outs.
 */
const QUIET_S = 10;
const SIGN_MS = 1_000;

const IS_DUE = sql`(not_before is null or not_before <= now())`;

/**
 * Skips other processes' events; limited by memory. Possible opt-outs first, then by arrival, then a few with
 * images.
 */
export async function takeEvents(tx: Db, accountId: string): Promise<EventToRead[]> {
  // The pool's shorter limit would end a slow transaction and repeat its events.
  await sql`select set_config('idle_in_transaction_session_timeout', ${`${QUIET_S}s`}, true)`.execute(tx);
  const own = sql`account_id = ${accountId}::uuid`;
  // Of a queue that was empty when it was analyzed the planner expects one row, and would walk all accounts'
  // events by the primary key; `offset 0` keeps joins in their order.
  const fresh = sql`not_before is null and (account_id, id) >= (${accountId}::uuid, 0)
    and (account_id, id) <= (${accountId}::uuid, ${MOST_ID}::bigint)`;
  const take = sql<EventToRead>`with leaving as (
      select id, octet_length(body) as bytes, octet_length(body) > ${SMALL} as large from webhook_event
      where id = any(array(select distinct event_id from (
          select u.event_id from (${sqlParts().unreadEvents}) u
            cross join lateral (select from webhook_event where id = u.event_id and ${IS_DUE} offset 0) due
          where u.${own} order by u.event_id limit ${ROWS}) first))
      for update skip locked),
    again as (
      select id, octet_length(body) as bytes, octet_length(body) > ${SMALL} as large from webhook_event
      where ${own} and not_before <= now() order by not_before limit ${ROWS} for update skip locked),
    small as (
      select id, octet_length(body) as bytes, false as large from webhook_event
      where ${fresh} and octet_length(body) <= ${SMALL} order by account_id, id limit ${ROWS} for update skip locked),
    pictures as (
      select w.id from (select id, octet_length(body) as bytes from webhook_event
        where ${fresh} order by account_id, id limit ${WINDOW}) w
      where w.bytes > ${SMALL} order by w.id limit ${PICTURES}),
    large as (
      select id, octet_length(body) as bytes, true as large from webhook_event
      where id = any(array(select id from pictures)) for update skip locked),
    taken as (
      select id, large, min(nth) as nth, min(bytes) as bytes from (
        select *, 0 as nth from leaving union all select *, 1 from again union all select *, 1 from small union all select *, 1 from large) all_of_them
      group by id, large),
    fitting as (
      select id, nth, sum(bytes) over (partition by large order by nth, id) - bytes as before from taken)
    select e.id, e.key, substring(e.key from '^[^:#]+') as event, e.tries, ${COLUMNS},
      coalesce(i.relay_url is not null, false) as relays,
      exists (select from (${sqlParts().unreadEvents}) u where u.event_id = e.id) as leaving
    from fitting f cross join lateral (select * from webhook_event where id = f.id offset 0) e
      left join instance i on i.connection_id = e.connection_id
    where f.before < ${BYTES} order by f.nth, e.id`;
  return inIndexOrder(tx, async () => (await take.execute(tx)).rows);
}

/** Seconds of the oldest untried event, by the database's clock. */
export type Waiting = { accountId: string; seconds: number };

const firstOf = (which: RawBuilder<unknown>, order: RawBuilder<unknown>) => {
  const next = (
    after: RawBuilder<unknown>,
  ) => sql`(select account_id, received_at, not_before from webhook_event
    where ${which} ${after} order by account_id, ${order} limit 1)`;
  return sql`(with recursive first as (
      ${next(sql``)} union all
      select n.* from first f cross join lateral ${next(sql`and account_id > f.account_id`)} n)
    select * from first)`;
};

export async function accountsWithEvents(db: Db): Promise<string[]> {
  return inIndexOrder(db, async (tx) => {
    const { rows } = await sql<{ accountId: string }>`select account_id as "accountId" from (
        select * from ${firstOf(sql`not_before is null`, sql`id`)} fresh
        union all
        select * from ${firstOf(sql`not_before is not null`, sql`not_before`)} again where not_before <= now()) first
      group by account_id order by min(received_at)`.execute(tx);
    return rows.map(({ accountId }) => accountId);
  });
}

export async function waitingByAccount(db: Db): Promise<Waiting[]> {
  return inIndexOrder(db, async (tx) => {
    const { rows } = await sql<Waiting>`select account_id as "accountId",
        greatest(0, extract(epoch from now() - received_at))::float8 as seconds
      from ${firstOf(sql`not_before is null`, sql`id`)} first order by received_at`.execute(tx);
    return rows;
  });
}

/** Sends heartbeats in `tx` while `work` runs outside it, each restarting QUIET_S. */
export async function holding<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  const say = () => sql`select 1`.execute(tx);
  const over = new AbortController();
  const signs = async () => {
    for await (const _ of setInterval(SIGN_MS, null, { signal: over.signal })) await say();
  };
  const saying = signs().catch(() => undefined);
  let done: T;
  try {
    done = await work();
  } finally {
    over.abort();
    await saying;
  }
  await say();
  return done;
}

/**
 * Deleting them loses nothing, as the gateway is asked. In the order of `noteArrivals`; otherwise deadlock.
 */
export async function takeStates(tx: Db): Promise<StateToRead[]> {
  const { rows } = await sql<StateToRead>`with fair as (
      select s.connection_id, s.event, row_number() over (partition by i.account_id order by s.received_at) as nth
      from webhook_state s left join instance i using (connection_id)),
    taken as (
      delete from webhook_state where (connection_id, event) in (
        select w.connection_id, w.event from fair join webhook_state w using (connection_id, event)
        order by fair.nth limit ${ROWS} for update of w skip locked)
      returning *)
    select e.event, ${COLUMNS} from taken e left join instance i using (connection_id) order by e.connection_id`.execute(
    tx,
  );
  return rows;
}

export async function unreadOf(
  prepared: Prepared,
  accountId: string,
  most: number,
): Promise<{ events: number; bytes: number }> {
  const { rows } = await prepared<{ events: number; bytes: number }>("webhook_unread", UNREAD_OF, [
    accountId,
    most,
  ]);
  return rows[0] ?? { events: 0, bytes: 0 };
}

const UNREAD_OF = `select count(*)::int as events, coalesce(sum(octet_length(body)), 0)::float8 as bytes from (
  (select body from webhook_event where account_id = $1 and not_before is null order by id limit $2)
  union all
  (select body from webhook_event where account_id = $1 and not_before is not null order by not_before limit $2)) waiting`;

/** Whether all events stored before now are processed; failed ones do not count. */
export async function eventsProcessedCheck(db: Db, accountId: string): Promise<() => Promise<boolean>> {
  const { rows } = await sql<{ last: number | null }>`select max(id) as last from webhook_event`.execute(db);
  const last = rows[0]?.last ?? 0;
  return async () => {
    const left = await sql`select from webhook_event
      where account_id = ${accountId}::uuid and id <= ${last} and not_before is null and tries = 0 limit 1`.execute(
      db,
    );
    return left.rows.length === 0;
  };
}

export async function dropEvents(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from webhook_event where id = any(${ids}::bigint[])`.execute(tx);
}

export async function unreadPhones(tx: Db, eventId: number): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`select u.address from (${sqlParts().unreadEvents}) u
    where u.event_id = ${eventId} and u.address ~ '^[0-9]+$' order by u.address`.execute(tx);
  return rows.map(({ address }) => address);
}

export async function postponeEvent(tx: Db, id: number, tries: number): Promise<void> {
  await sql`update webhook_event set tries = ${tries}, not_before = now() + make_interval(secs => 5 * power(6, ${tries - 1}::int))
    where id = ${id}`.execute(tx);
}

/** Events repeat for half an hour at most; an older stamp means that the clock was changed. */
const PUT_BACK = sql`interval '45 minutes'`;

export async function noteStamp(
  tx: Db,
  connectionId: number,
  which: "state" | "qr",
  stamp: Date,
): Promise<boolean> {
  const column = sql.ref(`${which}_stamp`);
  const { rows } = await sql`update instance set ${column} = ${stamp}
    where connection_id = ${connectionId}
      and (${column} is null or ${column} < ${stamp} or ${column} > ${stamp}::timestamptz + ${PUT_BACK}) returning 1`.execute(
    tx,
  );
  return rows.length > 0;
}

export async function noteArrivals(
  db: Db,
  arrivals: ReadonlyMap<number, Date>,
): Promise<{ connectionId: number; accountId: string }[]> {
  const ids = [...arrivals.keys()];
  const { rows } = await db.transaction().execute(async (tx) => {
    await sql`select from instance where connection_id = any(${ids}::bigint[]) order by connection_id for no key update`.execute(
      tx,
    );
    return sql<{ connectionId: number; accountId: string; gatewayId: number }>`
      update instance i set event_at = greatest(i.event_at, t.at)
      from unnest(${ids}::bigint[], ${[...arrivals.values()]}::timestamptz[]) as t(id, at)
      where i.connection_id = t.id
      returning i.connection_id as "connectionId", i.account_id as "accountId", i.gateway_id as "gatewayId"`.execute(
      tx,
    );
  });
  await sql`update gateway set reaches_us = 'yes'
    where id = any(${rows.map(({ gatewayId }) => gatewayId)}::bigint[]) and reaches_us <> 'yes'`.execute(db);
  return rows;
}
