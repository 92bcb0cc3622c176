import { type RawBuilder, sql } from "kysely";
import type { Db, Prepared as PreparedStatement } from "../../db/client.ts";
import type { Address } from "../../transports/transport.ts";

/** Repeated look-ups seem like bulk sending to WhatsApp. */
const FRESH_DAYS = 7;

export type Prepared =
  | { kind: "address"; address: Address }
  | { kind: "unknown" }
  | { kind: "absent" }
  | { kind: "taken" };

/**
 * Null: look-ups by our devices, valid for all accounts; else those of an account's gateways, valid for it
 * alone, since anyone can register a gateway that lies.
 */
export type AddressBook = string | null;

type Row = { seq: number; jid: string | null; lid: string | null; known: boolean; taken: boolean };

type Person = { seq: number; phone: string; ambiguous: boolean };

/**
 * Commits the campaign's claim on each person's known address; keys are seqs. Both names are claimed: two
 * phones that share either are one person. A message in doubt keeps its old address, otherwise it would
 * arrive twice.
 */
export function prepareAddresses(
  prepared: PreparedStatement,
  campaignId: number,
  people: readonly Person[],
  book: AddressBook = null,
): Promise<Map<number, Prepared>> {
  return claimAddresses(prepared, campaignId, people, [], book);
}

/** Stores a look-up and claims its address in one commit, before anything is sent. */
export async function storeAddress(
  prepared: PreparedStatement,
  campaignId: number,
  person: Person,
  address: Address | null,
  book: AddressBook = null,
): Promise<Prepared> {
  const answers = [{ phone: person.phone, jid: address?.jid ?? null, lid: address?.lid ?? null }];
  const known = (await claimAddresses(prepared, campaignId, [person], answers, book)).get(person.seq);
  if (!known) throw new Error("the address book answered no row");
  return known;
}

/**
 * A gateway's look-up has no hidden address, but its receipts do (hidden-addresses.ts): it stays while the
 * number keeps its address.
 */
const KEPT_LID = `coalesce(excluded.lid, case when gateway_address.jid = excluded.jid then gateway_address.lid end)`;

type Table = { name: string; insert: string; values: string; key: string; own: string; lid: string };
const SHARED: Table = { name: "wa_address", insert: "", values: "", key: "", own: "", lid: "excluded.lid" };
const OF_ACCOUNT: Table = {
  lid: KEPT_LID,
  name: "gateway_address",
  insert: "account_id, ",
  values: "$8::uuid, ",
  key: "account_id, ",
  own: "a.account_id = $8::uuid and ",
};

const claimFrom = (table: Table) => `with requested as (
    select seq, phone, ambiguous from unnest($2::int[], $3::bigint[], $4::boolean[]) as t(seq, phone, ambiguous)),
  answered as (
    insert into ${table.name} (${table.insert}phone, jid, lid, checked_at)
    select ${table.values}phone, jid, lid, now() from unnest($5::bigint[], $6::text[], $7::text[]) as t(phone, jid, lid)
    on conflict (${table.key}phone) do update set jid = excluded.jid, lid = ${table.lid}, checked_at = excluded.checked_at
    returning phone, jid, lid),
  known as materialized (
    select requested.seq, answered.jid, answered.lid from requested join answered using (phone)
    union all
    select requested.seq, a.jid, a.lid from requested join ${table.name} a on ${table.own}a.phone = requested.phone
    where (a.checked_at > now() - ${FRESH_DAYS} * interval '1 day' or (requested.ambiguous and a.jid is not null))
      and not exists (select 1 from answered where answered.phone = requested.phone)),
  names as materialized (
    select known.seq, n.address, a.seq as held, coalesce(a.seq, min(known.seq) over (partition by n.address)) as first
    from known cross join lateral unnest(array[jid, lid]) as n(address)
      left join campaign_alias a on a.campaign_id = $1 and a.address = n.address
    where jid is not null and n.address is not null),
  firsts as materialized (select seq, coalesce(min(held), min(first)) as first from names group by seq),
  claimed as (
    insert into campaign_alias (campaign_id, address, seq)
    select $1, address, min(firsts.first) from names join firsts using (seq) where held is null group by address
    on conflict (campaign_id, address) do update set seq = campaign_alias.seq
    returning address, seq),
  own as (
    select distinct names.seq from names left join claimed using (address) where coalesce(claimed.seq, names.held) = names.seq)
  select requested.seq, known.jid, known.lid, known.seq is not null as known, own.seq is null as taken
  from requested left join known using (seq) left join own using (seq)`;
const CLAIM = claimFrom(SHARED);
const CLAIM_OF_ACCOUNT = claimFrom(OF_ACCOUNT);

async function claimAddresses(
  prepared: PreparedStatement,
  campaignId: number,
  people: readonly Person[],
  answers: readonly { phone: string; jid: string | null; lid: string | null }[],
  book: AddressBook,
): Promise<Map<number, Prepared>> {
  const [name, text] =
    book === null ? ["claim_addresses", CLAIM] : ["claim_account_addresses", CLAIM_OF_ACCOUNT];
  const { rows } = await prepared<Row>(name, text, [
    campaignId,
    people.map((one) => one.seq),
    people.map((one) => one.phone),
    people.map((one) => one.ambiguous),
    answers.map((one) => one.phone),
    answers.map((one) => one.jid),
    answers.map((one) => one.lid),
    ...(book === null ? [] : [book]),
  ]);
  return new Map(rows.map((row) => [row.seq, preparedOf(row)]));
}

/** The named address, or the known one of the number; null where numbers are not looked up. */
export async function outboxAddress(
  db: Db,
  { phone, jid }: { phone: string | null; jid: string | null },
  looksUp: boolean,
  book: AddressBook = null,
): Promise<Prepared | null> {
  if (phone === null) return { kind: "address", address: { jid: jid ?? "", lid: null } };
  return looksUp ? findAddress(db, phone, book) : null;
}

async function findAddress(db: Db, phone: string, book: AddressBook): Promise<Prepared> {
  const from =
    book === null ? sql`wa_address where` : sql`gateway_address where account_id = ${book}::uuid and`;
  const { rows } = await sql<
    Omit<Row, "taken" | "known">
  >`select jid, lid from ${from} phone = ${phone}::bigint and checked_at > now() - ${FRESH_DAYS} * interval '1 day'`.execute(
    db,
  );
  return preparedOf({ seq: 0, jid: null, lid: null, ...rows[0], known: rows.length > 0, taken: false });
}

export async function rememberAddress(
  db: Db,
  phone: string,
  address: Address | null,
  book: AddressBook = null,
): Promise<void> {
  const [jid, lid] = [address?.jid ?? null, address?.lid ?? null];
  const lidNow = sql.raw(book === null ? SHARED.lid : OF_ACCOUNT.lid);
  const changed = sql`jid = excluded.jid, lid = ${lidNow}, checked_at = excluded.checked_at`;
  if (book === null)
    await sql`insert into wa_address (phone, jid, lid, checked_at) values (${phone}::bigint, ${jid}, ${lid}, now())
      on conflict (phone) do update set ${changed}`.execute(db);
  else
    await sql`insert into gateway_address (account_id, phone, jid, lid, checked_at)
      values (${book}::uuid, ${phone}::bigint, ${jid}, ${lid}, now())
      on conflict (account_id, phone) do update set ${changed}`.execute(db);
}

/**
 * A number that writes to us is on WhatsApp, whatever an earlier look-up said: the next message looks it up
 * again. A gateway's report counts for its account alone.
 */
export async function forgetAbsence(
  tx: Db,
  { accountId, connectionId }: { accountId: string; connectionId: number },
  phones: readonly string[],
): Promise<void> {
  if (phones.length === 0) return;
  const theirs = sql`phone = any(${[...phones]}::bigint[]) and jid is null`;
  const account = sql`account_id = ${accountId}::uuid`;
  // Fixed order: several connections may report the same people.
  await sql`with ours as (
      delete from gateway_address where ${account}
        and phone in (select phone from gateway_address where ${account} and ${theirs} order by phone for update))
    delete from wa_address where phone in (select phone from wa_address where ${theirs}
      and exists (select from connection where id = ${connectionId} and kind = 'device') order by phone for update)`.execute(
    tx,
  );
}

const FRESH = sql`checked_at > now() - ${sql.lit(FRESH_DAYS)} * interval '1 day'`;

/** SQL rows `phone`: not on WhatsApp by a fresh look-up that counts for the connection. */
export const absentPhones = (of: { accountId: string; connectionId: number }) => booked(of, sql`jid is null`);

/** SQL rows `phone`: a fresh look-up answers for it. */
export const checkedPhones = (of: { accountId: string; connectionId: number }) => booked(of, sql`true`);

function booked(
  { accountId, connectionId }: { accountId: string; connectionId: number },
  which: RawBuilder<unknown>,
) {
  const isKind = (kind: string) =>
    sql`exists (select from connection where id = ${connectionId} and account_id = ${accountId}::uuid and kind = ${kind})`;
  return sql`select phone from wa_address where ${which} and ${FRESH} and ${isKind("device")}
    union all
    select phone from gateway_address
      where account_id = ${accountId}::uuid and ${which} and ${FRESH} and ${isKind("instance")}`;
}

function preparedOf(row: Row): Prepared {
  if (!row.known) return { kind: "unknown" };
  if (row.jid === null) return { kind: "absent" };
  if (row.taken) return { kind: "taken" };
  return { kind: "address", address: { jid: row.jid, lid: row.lid } };
}
