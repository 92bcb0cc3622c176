import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Owner } from "../../db/owner.ts";
import { settle } from "../ledger/settle.ts";
import { holdOptOuts } from "./opt-out.ts";

export type ErasedNames = { phone: string; addresses: readonly string[] };

export type RenamedList = { from: string; to: string };

export async function findAddressesOf(owner: Owner, phone: string): Promise<string[]> {
  const { rows } = await sql<{ jid: string | null; lid: string | null }>`
    select jid, lid from wa_address where phone = ${phone}::bigint
    union select jid, lid from gateway_address
      where account_id = ${owner.accountId}::uuid and phone = ${phone}::bigint`.execute(owner.db);
  return rows.flatMap(({ jid, lid }) => [jid, lid]).filter((address) => address !== null);
}

/**
 * Places stay under a negative number: counters, receipts and doubts need them. Throws `person_in_flight`,
 * `person_in_flight_direct`.
 */
export async function erasePerson(
  tx: Owner,
  names: ErasedNames,
  list: RenamedList,
): Promise<{ campaigns: number }> {
  await holdOptOuts(tx.db, tx.accountId, "leave");
  const campaigns = await lockAllCampaigns(tx, names.phone, list);
  await refuseInFlight(tx, names);
  for (const { id, seq, resent } of campaigns.filter(({ isOpen }) => isOpen))
    await settle(
      tx.db,
      id,
      [{ seq, to: resent ? DELIVERY.uncertain : DELIVERY.skipped, at: new Date(), error: "erased" }],
      { from: [DELIVERY.pending, DELIVERY.waiting] },
    );
  const ids = campaigns.map(({ id }) => id);
  await sql`update delivery set phone = -1 - seq, name = '', vars = null
    where campaign_id = any(${ids}::bigint[]) and phone = ${names.phone}::bigint`.execute(tx.db);
  await sql`delete from campaign_alias where campaign_id in (
      select id from campaign where account_id = ${tx.accountId}::uuid)
    and address = any(${allNames(names)}::text[])`.execute(tx.db);
  await sql`update campaign set list_name = substr(replace(${JOINED}, ${joined(list.from)}, ${joined(list.to)}), 4,
      length(replace(${JOINED}, ${joined(list.from)}, ${joined(list.to)})) - 6)
    where account_id = ${tx.accountId}::uuid and ${namesList(list.from)}`.execute(tx.db);
  await deleteTraces(tx, names);
  return { campaigns: ids.length };
}

/** `list_name` joins the names of several lists and segments so (`campaigns/save-repo.ts`); a name may hold it too. */
const joined = (names: string) => ` + ${names} + `;
const JOINED = sql`(' + ' || list_name || ' + ')`;
const namesList = (name: string) => sql`strpos(${JOINED}, ${joined(name)}) > 0`;

const allNames = ({ phone, addresses }: ErasedNames) => [phone, ...addresses];

const toThem = ({ phone, addresses }: ErasedNames): RawBuilder<unknown> =>
  sql`(o.phone = ${phone}::bigint or o.jid = any(${[...addresses]}::text[]))`;

/** `resent`: an earlier attempt may have arrived. */
type Place = { id: number; seq: number; resent: boolean; isOpen: boolean };

async function lockAllCampaigns(tx: Owner, phone: string, list: RenamedList): Promise<Place[]> {
  await sql`select id from campaign c where account_id = ${tx.accountId}::uuid and (${namesList(list.from)}
      or exists (select from delivery d where d.campaign_id = c.id and d.phone = ${phone}::bigint))
    order by id for no key update`.execute(tx.db);
  // A separate statement: it sees what the last turn committed.
  const { rows } = await sql<Place>`select c.id, d.seq, d.resend_number > 0 as resent,
      c.status in ('sending', 'paused') and d.status in (${DELIVERY.pending}, ${DELIVERY.waiting}) as "isOpen"
    from campaign c join delivery d on d.campaign_id = c.id and d.phone = ${phone}::bigint
    where c.account_id = ${tx.accountId}::uuid order by c.id`.execute(tx.db);
  return rows;
}

async function refuseInFlight(tx: Owner, names: ErasedNames): Promise<void> {
  const onItsWay = (row: string) => sql`(${sql.ref(`${row}.status`)} = ${DELIVERY.sending}
    or (${sql.ref(`${row}.status`)} = ${DELIVERY.waiting} and ${sql.ref(`${row}.ambiguous`)}))`;
  const campaigns = await sql<{ name: string }>`select c.name from campaign c
    join delivery d on d.campaign_id = c.id and d.phone = ${names.phone}::bigint
    where c.account_id = ${tx.accountId}::uuid and ${onItsWay("d")} order by c.id limit 1`.execute(tx.db);
  const [campaign] = campaigns.rows;
  if (campaign) throw new AppError("person_in_flight", { campaign: campaign.name });
  const held = await sql<{ busy: boolean }>`select ${onItsWay("o")} as busy from outbox o
    where o.account_id = ${tx.accountId}::uuid and ${toThem(names)} order by o.id for update`.execute(tx.db);
  if (held.rows.some(({ busy }) => busy)) throw new AppError("person_in_flight_direct");
}

async function deleteTraces(tx: Owner, names: ErasedNames): Promise<void> {
  const { db, accountId } = tx;
  const all = allNames(names);
  const connections = sql`(select id from connection where account_id = ${accountId}::uuid)`;
  await sql`delete from provider_message where outbox_id in (
    select o.id from outbox o where o.account_id = ${accountId}::uuid and ${toThem(names)})`.execute(db);
  const theirs = [`${names.phone}@s.whatsapp.net`, ...names.addresses];
  await sql`update outbox set about = jsonb_set(about, '{text}', '""') where account_id = ${accountId}::uuid
    and about ->> 'participant' = any(${theirs}::text[])`.execute(db);
  await sql`delete from outbox o where o.account_id = ${accountId}::uuid and ${toThem(names)}`.execute(db);
  await sql`delete from opt_out where account_id = ${accountId}::uuid
    and phone = ${names.phone}::bigint`.execute(db);
  await sql`delete from outgoing_webhook_message o where o.connection_id in ${connections}
    and (${toThem(names)} or o.lid = any(${all}::text[]))`.execute(db);
  await sql`delete from receipt_inbox where connection_id in ${connections} and lid = any(${all}::text[])`.execute(
    db,
  );
  await sql`delete from known_conversation where connection_id in ${connections}
    and address = any(${all}::text[])`.execute(db);
  await sql`delete from number_check where connection_id in ${connections}
    and phone = ${names.phone}::bigint`.execute(db);
  await sql`delete from gateway_address where account_id = ${accountId}::uuid
    and (phone = ${names.phone}::bigint or jid = any(${all}::text[]) or lid = any(${all}::text[]))`.execute(
    db,
  );
  // Shared with accounts that know the person too.
  await sql`delete from wa_address a where a.phone = ${names.phone}::bigint and not exists (
    select from person p where p.phone = a.phone and p.account_id <> ${accountId}::uuid)`.execute(db);
}

export type ErasedCounts = { campaigns: number; waiting: number; direct: number };

export async function countTraces(owner: Owner, names: ErasedNames): Promise<ErasedCounts> {
  const { rows } = await sql<ErasedCounts>`select count(*)::int as campaigns,
      (count(*) filter (where c.status in ('sending', 'paused')
        and d.status in (${DELIVERY.pending}, ${DELIVERY.waiting})))::int as waiting,
      (select count(*)::int from outbox o
        where o.account_id = ${owner.accountId}::uuid and ${toThem(names)}) as direct
    from campaign c join delivery d on d.campaign_id = c.id and d.phone = ${names.phone}::bigint
    where c.account_id = ${owner.accountId}::uuid and c.deleted_at is null`.execute(owner.db);
  return rows[0] ?? { campaigns: 0, waiting: 0, direct: 0 };
}

type DirectTo = { id: number; at: Date; text: string; status: number; error: string | null; origin: string };

export async function findDirectTo(
  owner: Owner,
  names: ErasedNames,
  after: number,
  limit: number,
): Promise<DirectTo[]> {
  const { rows } =
    await sql<DirectTo>`select o.id, coalesce(o.at, o.created_at) as at, o.text, o.status, o.error, o.origin
    from outbox o where o.account_id = ${owner.accountId}::uuid and ${toThem(names)} and o.id > ${after}
    order by o.id limit ${limit}`.execute(owner.db);
  return rows;
}
