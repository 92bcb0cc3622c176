import { type RawBuilder, sql } from "kysely";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords, phonePattern } from "../db/search.ts";
import { sqlParts } from "../sending/sending.ts";

const { optOuts } = sqlParts();

export type ListRow = {
  id: number;
  name: string;
  contacts: number;
  created_at: Date;
  first: { name: string; phone: string; optedOut?: true; asksToLeave?: true }[];
  matches: number | null;
};

export type ContactRow = { seq: number; phone: number; name: string; opted_out: string | null };

const SHOWN = 3;

const optedOut = sql`(select o.source from ${optOuts} o where o.account_id = l.account_id and o.phone = c.phone)`;
const asJson = sql`jsonb_build_object('name', f.name, 'phone', f.phone::text)
  || case when f.opted_out = 'asked' then '{"optedOut": true, "asksToLeave": true}'::jsonb
    when f.opted_out is not null then '{"optedOut": true}'::jsonb else '{}'::jsonb end`;

const firstOf = sql`coalesce((
  select jsonb_agg(${asJson} order by f.seq)
  from (select c.name, c.phone, c.seq, ${optedOut} as opted_out from contact c where c.list_id = l.id order by c.seq limit ${SHOWN}) f), '[]'::jsonb)`;

const matchesOf = (match: RawBuilder<unknown>) => sql`
  select count(*)::int as n,
    jsonb_agg(${asJson} order by f.seq) filter (where f.place <= ${SHOWN}) as first
  from (select m.*, case when m.place <= ${SHOWN} then (
          select o.source from ${optOuts} o where o.account_id = l.account_id and o.phone = m.phone) end as opted_out
        from (select c.name, c.phone, c.seq, row_number() over (order by c.seq) as place
              from contact c where c.list_id = l.id and ${match}) m) f`;

function matching(words: string): RawBuilder<unknown> {
  const phone = phonePattern(words);
  const name = holdsWords("c.name", words);
  return phone === null ? name : sql`(${name} or c.phone::text like ${phone})`;
}

const everybody = sql`true`;

/** Below id `after`; a search shows only matches. */
export async function findLists(
  owner: Owner,
  {
    search,
    after,
    id = null,
    limit,
  }: { search: string; after: number | null; id?: number | null; limit: number },
): Promise<ListRow[]> {
  const mine = sql`l.account_id = ${owner.accountId}::uuid and (${after}::bigint is null or l.id < ${after})
    and (${id}::bigint is null or l.id = ${id})`;
  if (search === "") {
    const { rows } = await sql<ListRow>`
      select l.id, l.name, l.contacts, l.created_at, null::int as matches, ${firstOf} as first
      from contact_list l where ${mine} order by l.id desc limit ${limit}`.execute(owner.db);
    return rows;
  }
  return byIndex(
    owner.db,
    sql<ListRow>`
    select l.id, l.name, l.contacts, l.created_at, m.n as matches,
      case when m.n > 0 then m.first else ${firstOf} end as first
    from contact_list l cross join lateral (${matchesOf(matching(search))}) m
    where ${mine} and (m.n > 0 or ${holdsWords("l.name", search)})
    order by l.id desc limit ${limit}`,
  );
}

export async function countLists(owner: Owner): Promise<{ lists: number; contacts: number }> {
  const { rows } = await sql<{ lists: number; contacts: number }>`
    select count(*)::int as lists, coalesce(sum(contacts), 0)::float8 as contacts from contact_list
    where account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0] ?? { lists: 0, contacts: 0 };
}

export async function findNamedLists(
  owner: Owner,
  words: string,
  limit: number,
): Promise<{ id: number; name: string; count: number }[]> {
  const { rows } = await sql<{ id: number; name: string; count: number }>`
    select l.id, l.name, l.contacts as count from contact_list l
    where l.account_id = ${owner.accountId}::uuid and ${holdsWords("l.name", words)}
    order by l.id desc limit ${limit}`.execute(owner.db);
  return rows;
}

export type PersonRow = ContactRow & { list_id: number; list_name: string };

/** More lists of one person may hide the next. */
const REPEATS = 20;

/** Stops reading lists at `limit`. */
export async function findPeople(owner: Owner, words: string, limit: number): Promise<PersonRow[]> {
  return byIndex(
    owner.db,
    sql<PersonRow>`
    select f.*, (select o.source from ${optOuts} o where o.account_id = ${owner.accountId}::uuid and o.phone = f.phone) as opted_out
    from (
      select c.name, c.phone, c.seq, l.id as list_id, l.name as list_name
      from contact_list l cross join lateral (
        select c.name, c.phone, c.seq from contact c where c.list_id = l.id and ${matching(words)}
        order by c.seq limit ${limit}) c
      where l.account_id = ${owner.accountId}::uuid
      order by l.id desc limit ${limit * REPEATS}) f
    order by f.list_id desc, f.seq`,
  );
}

export async function findList(owner: Owner, listId: number): Promise<ListRow | undefined> {
  const { rows } = await sql<ListRow>`
    select l.id, l.name, l.contacts, l.created_at, null::int as matches, ${firstOf} as first
    from contact_list l where l.account_id = ${owner.accountId}::uuid and l.id = ${listId}`.execute(owner.db);
  return rows[0];
}

/** By opt-out: they are fewer than contacts. */
export async function countOptedOut(owner: Owner, listId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from contact_list l join ${optOuts} o on o.account_id = l.account_id
    where l.account_id = ${owner.accountId}::uuid and l.id = ${listId}
      and exists (select 1 from contact c where c.list_id = l.id and c.phone = o.phone)`.execute(owner.db);
  return rows[0]?.n ?? 0;
}

export async function findContacts(
  owner: Owner,
  listId: number,
  { search, after, limit }: { search: string; after: number; limit: number },
): Promise<ContactRow[]> {
  return byIndex(
    owner.db,
    sql<ContactRow>`
    select c.seq, c.phone, c.name, ${optedOut} as opted_out from contact c
    join contact_list l on l.id = c.list_id and l.account_id = ${owner.accountId}::uuid
    where c.list_id = ${listId} and c.seq > ${after} and ${search === "" ? everybody : matching(search)}
    order by c.seq limit ${limit}`,
  );
}

/** `last`: the seq of the last contact, null on an empty page. */
export type ExportPage = { names: string[]; phones: number[]; last: number | null };

/**
 * Contacts after `after`, in the list's order, as two JSON arrays: a row for each would take the driver longer
 * than all the rest. By count, as a range of seq would be planned as a sort.
 */
export async function findExportPage(
  owner: Owner,
  listId: number,
  { after, limit }: { after: number; limit: number },
): Promise<ExportPage> {
  const { rows } = await sql<ExportPage>`
    select coalesce(json_agg(name), '[]') as names, coalesce(json_agg(phone), '[]') as phones, max(seq) as last
    from (
      select name, phone, seq from contact
      where list_id = ${listId} and seq > ${after}
        and exists (select from contact_list where id = ${listId} and account_id = ${owner.accountId}::uuid)
      order by seq limit ${limit}) as page`.execute(owner.db);
  return rows[0] ?? EMPTY_PAGE;
}

export const EMPTY_PAGE: ExportPage = { names: [], phones: [], last: null };

export async function insertList(owner: Owner, name: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into contact_list (account_id, name) values (${owner.accountId}::uuid, ${name}) returning id`.execute(
    owner.db,
  );
  return rows[0]?.id ?? 0;
}

export async function setListCount(owner: Owner, listId: number, contacts: number): Promise<void> {
  await sql`update contact_list set contacts = ${contacts}
    where id = ${listId} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}

/**
 * All must be listed. As an upsert: an update scans a list without statistics (1.0 s instead of 0.4 s for
 * 10,000 names of 500,000).
 */
export async function nameContacts(
  owner: Owner,
  listId: number,
  names: ReadonlyMap<number, string>,
): Promise<void> {
  await sql`insert into contact (list_id, seq, phone, name)
    select l.id, -1, n.phone, n.name
    from contact_list l, unnest(${[...names.keys()]}::bigint[], ${[...names.values()]}::text[]) as n(phone, name)
    where l.id = ${listId} and l.account_id = ${owner.accountId}::uuid
    on conflict (list_id, phone) do update set name = excluded.name`.execute(owner.db);
}

/** Answers the number of contacts, undefined if missing. */
export async function deleteList(owner: Owner, listId: number): Promise<number | undefined> {
  const { rows } = await sql<{ contacts: number }>`with list as (
      delete from contact_list where id = ${listId} and account_id = ${owner.accountId}::uuid returning id, contacts),
    noted as (
      delete from contact_import_row r using contact_import i, list
      where i.account_id = ${owner.accountId}::uuid and i.list_id = list.id and r.import_id = i.id)
    select contacts from list`.execute(owner.db);
  return rows[0]?.contacts;
}

/** Answers its name. */
export async function lockList(owner: Owner, listId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from contact_list where id = ${listId} and account_id = ${owner.accountId}::uuid for update`.execute(
    owner.db,
  );
  return rows[0]?.name;
}

/** Simultaneous identical requests wait for this transaction. */
export async function isListed(owner: Owner, listName: string, phone: string): Promise<boolean> {
  const account = sql`${owner.accountId}::uuid`;
  await sql`
    select pg_advisory_xact_lock(hashtextextended('contact ' || ${phone}::bigint || ' of ' || ${account}, 0))`.execute(
    owner.db,
  );
  const { rows } =
    await sql`select from contact_list l join contact p on p.list_id = l.id and p.phone = ${phone}::bigint
    where l.account_id = ${account} and l.name = ${listName} limit 1`.execute(owner.db);
  return rows.length > 0;
}

/** False: the phone is present. */
export async function appendContact(
  owner: Owner,
  listId: number,
  contact: { name: string; phone: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with added as (
      insert into contact (list_id, seq, phone, name)
      select l.id, coalesce((select max(seq) + 1 from contact where list_id = l.id), 0), ${contact.phone}::bigint, ${contact.name}
      from contact_list l where l.id = ${listId} and l.account_id = ${owner.accountId}::uuid
      on conflict (list_id, phone) do nothing
      returning list_id)
    update contact_list l set contacts = l.contacts + 1 from added where l.id = added.list_id`.execute(
    owner.db,
  );
  return numAffectedRows === 1n;
}
