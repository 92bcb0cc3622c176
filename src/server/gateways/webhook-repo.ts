import { setInterval } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../db/client.ts";

/** What was stored of an instance. */
export type StateToRead = {
  connectionId: number;
  event: string;
  body: string;
  receivedAt: Date;
  /** Null: the instance is gone, and its events with it. */
  accountId: string | null;
};

/** A stored event whose turn has come. */
export type EventToRead = StateToRead & { id: number; key: string; tries: number; relays: boolean };

/** Of one batch: of small events, and as many bytes of pictures, which a flood of the others would keep out of it for ever. */
const ROWS = 200;
const BYTES = 8 * 1024 * 1024;
/** What is larger has a picture, which takes its time: so many in a batch, looked for among so many events, behind whatever is small. */
const SMALL = 256 * 1024;
const PICTURES = 4;
const WINDOW = 2_000;

const COLUMNS = sql`e.connection_id as "connectionId", e.body, e.received_at as "receivedAt", i.account_id as "accountId"`;

/**
 * What an event brings about is done beside the transaction that holds it, which may last; that somebody is there is said in it meanwhile.
 * What a process holds that is frozen, or cut off, another takes after so long: people who leave may be among it, who are sent to else.
 */
const QUIET_S = 10;
const SIGN_MS = 1_000;

/**
 * Takes events for as long as the transaction lasts; what other processes have taken is passed over. As many as fit into memory, the small
 * ones first, and of pictures one of each account before anybody's second: hundreds of them at one gateway are not what others wait for.
 */
export async function takeEvents(tx: Db): Promise<EventToRead[]> {
  // Longer than the pool's own limit: ended by that on a busy machine, the same events would be taken anew. It holds nothing but them.
  await sql`select set_config('idle_in_transaction_session_timeout', ${`${QUIET_S}s`}, true)`.execute(tx);
  const isDue = sql`(not_before is null or not_before <= now())`;
  const { rows } = await sql<EventToRead>`with small as (
      select id, octet_length(body) as bytes, false as large, 0 as nth from webhook_event
      where ${isDue} and octet_length(body) <= ${SMALL} order by id limit ${ROWS} for update skip locked),
    pictures as (
      select w.id, w.bytes, row_number() over (partition by i.account_id order by w.id) as nth
      from (select id, connection_id, octet_length(body) as bytes from webhook_event
        where ${isDue} order by id limit ${WINDOW}) w left join instance i using (connection_id)
      where w.bytes > ${SMALL}),
    large as (
      select p.id, p.bytes, true as large, p.nth from pictures p join webhook_event using (id)
      order by p.nth, p.id limit ${PICTURES} for update of webhook_event skip locked),
    fitting as (
      select id, large, sum(bytes) over (partition by large order by nth, id) - bytes as before
      from (select * from small union all select * from large) due)
    select e.id, e.key, substring(e.key from '^[^:#]+') as event, e.tries, ${COLUMNS},
      coalesce(i.relay_url is not null, false) as relays
    from fitting f join webhook_event e using (id) left join instance i using (connection_id)
    where f.before < ${BYTES} order by f.large, e.id`.execute(tx);
  return rows;
}

/**
 * Does what some of them bring about, which asks nothing in the transaction, and says in it meanwhile and once more at the end that somebody
 * is there: each time QUIET_S begin anew. Its connection is asked one thing at a time.
 */
export async function holding<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  const say = () => sql`select 1`.execute(tx);
  const over = new AbortController();
  const signs = async () => {
    for await (const _ of setInterval(SIGN_MS, null, { signal: over.signal })) await say();
  };
  // Ended by us; or the transaction is, as its next statement says.
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
 * Takes the newest states and codes out: what they say is asked of the gateway itself, so that nothing is lost with them. In the order in
 * which `noteArrivals` takes their instances: whoever stamps several in one transaction and another process's notes wait for each other else.
 */
export async function takeStates(tx: Db): Promise<StateToRead[]> {
  const { rows } = await sql<StateToRead>`with taken as (
      delete from webhook_state where (connection_id, event) in (
        select connection_id, event from webhook_state limit ${ROWS} for update skip locked)
      returning *)
    select e.event, ${COLUMNS} from taken e left join instance i using (connection_id) order by e.connection_id`.execute(
    tx,
  );
  return rows;
}

/** Answers what says whether all that an account's gateways told before now is taken in; what could not be at first is not waited for. */
export async function toldBefore(db: Db, accountId: string): Promise<() => Promise<boolean>> {
  const { rows } = await sql<{ last: number | null }>`select max(id) as last from webhook_event`.execute(db);
  const last = rows[0]?.last ?? 0;
  return async () => {
    const left = await sql`select from webhook_event e join connection k on k.id = e.connection_id
      where k.account_id = ${accountId}::uuid and e.id <= ${last} and e.tries = 0 limit 1`.execute(db);
    return left.rows.length === 0;
  };
}

export async function dropEvents(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from webhook_event where id = any(${ids}::bigint[])`.execute(tx);
}

/** To be tried again in 5 s, 30 s, 3 min, 18 min. */
export async function postponeEvent(tx: Db, id: number, tries: number): Promise<void> {
  await sql`update webhook_event set tries = ${tries}, not_before = now() + make_interval(secs => 5 * power(6, ${tries - 1}::int))
    where id = ${id}`.execute(tx);
}

/** An event is told again for half an hour at most; what is older still was stamped by a clock that has been put back since, or has another zone. */
const PUT_BACK = sql`interval '45 minutes'`;

/** False when something newer of this instance is known already: events arrive in any order. */
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

/** When something last came from these instances, and that their servers reach us. */
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
