import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Address } from "../transports/transport.ts";

/** How long WhatsApp's answer about a number is believed. Asking again costs: look-ups are themselves a sign of bulk sending. */
const FRESH_DAYS = 7;

/** Where a person stands before their message may leave. */
export type Prepared =
  | { kind: "address"; address: Address }
  | { kind: "unknown" }
  | { kind: "absent" }
  /** Another person of the same campaign has this address: they get the message, once. */
  | { kind: "taken" };

type Row = { seq: number; jid: string | null; lid: string | null; known: boolean; taken: boolean };

/**
 * For people just handed out: the address known for each, with the campaign's claim on it committed, in one statement. A repeated
 * call answers the same for the same person. Keys of the answer are seqs.
 */
export async function prepareAddresses(
  db: Db,
  campaignId: number,
  people: readonly { seq: number; phone: string }[],
): Promise<Map<number, Prepared>> {
  const { rows } = await sql<Row>`with told as (
      select seq, phone from unnest(${people.map((one) => one.seq)}::int[], ${people.map((one) => one.phone)}::bigint[]) as t(seq, phone)),
    known as materialized (
      select told.seq, a.jid, a.lid from told join wa_address a on a.phone = told.phone
      where a.checked_at > now() - ${FRESH_DAYS} * interval '1 day'),
    claimed as (
      insert into campaign_alias (campaign_id, address, seq)
      select ${campaignId}, coalesce(lid, jid), min(seq) from known where jid is not null group by coalesce(lid, jid)
      on conflict (campaign_id, address) do update set seq = campaign_alias.seq
      returning address, seq)
    select told.seq, known.jid, known.lid, known.seq is not null as known,
      claimed.seq is not null and claimed.seq <> told.seq as taken
    from told left join known on known.seq = told.seq
      left join claimed on claimed.address = coalesce(known.lid, known.jid)`.execute(db);
  return new Map(rows.map((row) => [row.seq, preparedOf(row)]));
}

/** Stores what WhatsApp answered for a number and claims the address for this person, in one commit, before anything is sent to it. */
export async function storeAddress(
  db: Db,
  campaignId: number,
  person: { seq: number; phone: string },
  address: Address | null,
): Promise<Prepared> {
  const { rows } = await sql<Row>`with stored as (
      insert into wa_address (phone, jid, lid, checked_at)
      values (${person.phone}::bigint, ${address?.jid ?? null}, ${address?.lid ?? null}, now())
      on conflict (phone) do update set jid = excluded.jid, lid = excluded.lid, checked_at = excluded.checked_at
      returning jid, lid),
    claimed as (
      insert into campaign_alias (campaign_id, address, seq)
      select ${campaignId}, coalesce(lid, jid), ${person.seq} from stored where jid is not null
      on conflict (campaign_id, address) do update set seq = campaign_alias.seq
      returning seq)
    select ${person.seq}::int as seq, stored.jid, stored.lid, true as known,
      claimed.seq is not null and claimed.seq <> ${person.seq} as taken
    from stored left join claimed on true`.execute(db);
  const row = rows[0];
  if (!row) throw new Error("wa_address answered no row");
  return preparedOf(row);
}

/** The address known for a number outside campaigns, or what is missing. */
export async function findAddress(db: Db, phone: string): Promise<Prepared> {
  const { rows } = await sql<Omit<Row, "taken" | "known">>`select jid, lid from wa_address
    where phone = ${phone}::bigint and checked_at > now() - ${FRESH_DAYS} * interval '1 day'`.execute(db);
  return preparedOf({ seq: 0, jid: null, lid: null, ...rows[0], known: rows.length > 0, taken: false });
}

/** Stores what WhatsApp answered for a number outside campaigns. */
export async function rememberAddress(db: Db, phone: string, address: Address | null): Promise<void> {
  await sql`insert into wa_address (phone, jid, lid, checked_at)
    values (${phone}::bigint, ${address?.jid ?? null}, ${address?.lid ?? null}, now())
    on conflict (phone) do update set jid = excluded.jid, lid = excluded.lid, checked_at = excluded.checked_at`.execute(
    db,
  );
}

function preparedOf(row: Row): Prepared {
  if (!row.known) return { kind: "unknown" };
  if (row.jid === null) return { kind: "absent" };
  if (row.taken) return { kind: "taken" };
  return { kind: "address", address: { jid: row.jid, lid: row.lid } };
}
