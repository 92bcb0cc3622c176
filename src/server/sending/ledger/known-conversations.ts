import { sql } from "kysely";
import { decodeMessageId } from "../../../domain/message-id.ts";
import type { Db } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";

/**
 * Warm people wrote to the number or got a delivery within 12 months (`known_conversation`). WhatsApp
 * restricts new conversations first, so only cold people wait during a restriction.
 */

/** Rounded to the day: otherwise each later receipt rewrites the row. */
const DELIVERED_STEP = "interval '1 day'";

/** SQL: the row `k` makes its person warm. */
export const recentTalk = (k: string): string =>
  `greatest(${k}.last_in_at, ${k}.last_delivered_at) > now() - interval '12 months'`;

const knownAs = (connection: string, address: string) => `exists (
    select from known_conversation k where k.connection_id = ${connection} and k.address = ${address} and ${recentTalk("k")})`;

/** SQL: the phone (bigint expression), or its hidden address, is warm for the connection. */
export function warmPhone(connection: string, phone: string): string {
  const hidden = (table: string, own: string) => `exists (
    select from ${table} a join known_conversation k on k.connection_id = ${connection} and k.address = a.lid
    where ${own}a.phone = ${phone} and ${recentTalk("k")})`;
  const account = `a.account_id = (select account_id from connection where id = ${connection}) and `;
  return `(${knownAs(connection, `${phone}::text`)} or ${hidden("wa_address", "")} or ${hidden("gateway_address", account)})`;
}

/** SQL: `warmPhone` for outbox row `o`; a group is never a new conversation. */
export const warmOutbox = (connection: string, o: string): string =>
  `case when ${o}.phone is null then ${o}.jid like '%@g.us' or ${knownAs(connection, `${o}.jid`)}
    else ${warmPhone(connection, `${o}.phone`)} end`;

export async function isWarm(db: Db, connectionId: number, to: string): Promise<boolean> {
  if (to.endsWith("@g.us")) return true;
  const warm = to.includes("@")
    ? knownAs("t.connection", "t.person")
    : warmPhone("t.connection", "t.person::bigint");
  const { rows } = await sql<{ warm: boolean }>`select ${sql.raw(warm)} as warm
    from (values (${connectionId}::bigint, ${to}::text)) as t(connection, person)`.execute(db);
  return rows[0]?.warm ?? false;
}

/** SQL: stores (address, at) rows in a fixed order, otherwise concurrent writers deadlock. */
export const storeDelivered = (connectionId: number, entries: ReturnType<typeof sql>) => sql`
  insert into known_conversation as k (connection_id, address, last_delivered_at)
  select c.id, entries.address, least(max(entries.at), now())
  from (${entries}) as entries(address, at) join connection c on c.id = ${connectionId}
  where entries.address is not null group by c.id, entries.address order by entries.address
  on conflict (connection_id, address) do update set last_delivered_at = excluded.last_delivered_at
  where k.last_delivered_at is null or k.last_delivered_at + ${sql.raw(DELIVERED_STEP)} < excluded.last_delivered_at`;

/** `names`: phone and hidden address; `answered`: a human wrote from the phone, else the person wrote to it. */
export type Talk = { names: readonly (string | null)[]; at: Date; answered: boolean };

/** Idempotent. */
export async function noteTalks(tx: Db, connectionId: number, talks: readonly Talk[]): Promise<void> {
  const entries = talks.flatMap(({ names, at, answered }) =>
    names.flatMap((address) => (address === null ? [] : [{ address, at: at.getTime() / 1000, answered }])),
  );
  if (entries.length === 0) return;
  await sql`insert into known_conversation as k (connection_id, address, last_in_at, last_answered_at)
    select ${connectionId}, address, max(at) filter (where not answered), max(at) filter (where answered)
    from (select address, least(to_timestamp(at), now()) as at, answered
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(address text, at float8, answered boolean)) talk
    group by address order by address
    on conflict (connection_id, address) do update set
      last_in_at = greatest(k.last_in_at, excluded.last_in_at),
      last_answered_at = greatest(k.last_answered_at, excluded.last_answered_at)
    where k.last_in_at is distinct from greatest(k.last_in_at, excluded.last_in_at)
      or k.last_answered_at is distinct from greatest(k.last_answered_at, excluded.last_answered_at)`.execute(
    tx,
  );
}

const isDelivery = ({ status }: Receipt) => status === "delivered" || status === "read";

/**
 * Stores recipients of deliveries, by our own ids, in one statement outside the ledger's transactions;
 * repeated receipts restore what a crash lost.
 */
export async function noteDelivered(
  db: Db,
  connectionId: number,
  messageKey: Buffer,
  receipts: readonly Receipt[],
): Promise<void> {
  const entries = receipts.filter(isDelivery).map(({ messageId, at }) => {
    const ref = decodeMessageId(messageKey, messageId);
    return { id: messageId, nonce: ref?.nonce ?? null, seq: ref?.seq ?? null, at: at.getTime() / 1000 };
  });
  if (entries.length === 0) return;
  await storeDelivered(
    connectionId,
    sql`with t as materialized (
      select id, nonce, seq, to_timestamp(at) as at
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(id text, nonce bigint, seq int, at float8))
    select d.phone::text, t.at from t join campaign c on c.nonce = t.nonce join delivery d on d.campaign_id = c.id and d.seq = t.seq
    where c.connection_id = ${connectionId} and d.phone > 0
    union all
    select coalesce(o.phone::text, o.jid), t.at from t join outbox o on o.message_id = t.id
    where o.connection_id = ${connectionId} and (o.phone is not null or o.jid like '%@lid')`,
  ).execute(db);
}

export async function noteDeliveredThere(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
): Promise<void> {
  const entries = receipts
    .filter(isDelivery)
    .map(({ messageId, at }) => ({ id: messageId, at: at.getTime() / 1000 }));
  if (entries.length === 0) return;
  await storeDelivered(
    connectionId,
    sql`select coalesce(d.phone::text, o.phone::text, o.jid), to_timestamp(t.at)
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(id text, at float8)
      join provider_message p on p.connection_id = ${connectionId} and p.provider_id = t.id
      left join delivery d on d.campaign_id = p.campaign_id and d.seq = p.seq and d.phone > 0
      left join outbox o on o.id = p.outbox_id
    where d.phone is not null or o.phone is not null or o.jid like '%@lid'`,
  ).execute(db);
}
