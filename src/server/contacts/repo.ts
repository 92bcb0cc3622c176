import { type RawBuilder, sql } from "kysely";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords } from "../db/search.ts";
import { sqlParts } from "../sending/sending.ts";
import { matchesPerson } from "./people-repo.ts";
import { countAdded, type PutPerson } from "./person-repo.ts";

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

const optedOut = sql`(select o.source from ${optOuts} o where o.account_id = p.account_id and o.phone = p.phone)`;
const asJson = sql`jsonb_build_object('name', f.name, 'phone', f.phone::text)
  || case when f.opted_out = 'asked' then '{"optedOut": true, "asksToLeave": true}'::jsonb
    when f.opted_out is not null then '{"optedOut": true}'::jsonb else '{}'::jsonb end`;

const firstOf = sql`coalesce((
  select jsonb_agg(${asJson} order by f.seq)
  from (select p.name, p.phone, m.seq, ${optedOut} as opted_out
        from membership m join person p on p.id = m.person_id where m.list_id = l.id order by m.seq limit ${SHOWN}) f), '[]'::jsonb)`;

/** SQL rows `list_id`, `n` and `first`; people are looked for before their lists. */
const matchesOf = (owner: Owner, match: RawBuilder<unknown>) => sql`
  with found as materialized (
    select p.id, p.account_id, p.phone, p.name from person p where p.account_id = ${owner.accountId}::uuid and ${match}),
  places as (
    select m.list_id, m.seq, p.account_id, p.phone, p.name, row_number() over (partition by m.list_id order by m.seq) as place
    from found p join membership m on m.person_id = p.id)
  select f.list_id, count(*)::int as n, jsonb_agg(${asJson} order by f.seq) filter (where f.place <= ${SHOWN}) as first
  from (select p.*, case when p.place <= ${SHOWN} then ${optedOut} end as opted_out from places p) f group by f.list_id`;

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
    select l.id, l.name, l.contacts, l.created_at, coalesce(m.n, 0) as matches, coalesce(m.first, ${firstOf}) as first
    from contact_list l left join (${matchesOf(owner, matchesPerson(search))}) m on m.list_id = l.id
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

export type PersonRow = ContactRow & { id: number; list_id: number | null; list_name: string | null };

/** Of more matches than this, the newest people are shown. */
const MATCHES = 1_000;

/** Newest lists first. */
export async function findPeople(owner: Owner, words: string, limit: number): Promise<PersonRow[]> {
  return byIndex(
    owner.db,
    sql<PersonRow>`
    select p.id, p.name, p.phone, place.seq, place.list_id, place.list_name, ${optedOut} as opted_out
    from (
      select p.id, p.account_id, p.phone, p.name from person p
      where p.account_id = ${owner.accountId}::uuid and ${matchesPerson(words)}
      order by p.created_at desc, p.id desc limit ${MATCHES}) p
    left join lateral (
      select m.seq, l.id as list_id, l.name as list_name from membership m join contact_list l on l.id = m.list_id
      where m.person_id = p.id order by l.id desc limit 1) place on true
    order by place.list_id desc nulls last, place.seq, p.id desc limit ${limit}`,
  );
}

export async function findList(owner: Owner, listId: number): Promise<ListRow | undefined> {
  const { rows } = await sql<ListRow>`
    select l.id, l.name, l.contacts, l.created_at, null::int as matches, ${firstOf} as first
    from contact_list l where l.account_id = ${owner.accountId}::uuid and l.id = ${listId}`.execute(owner.db);
  return rows[0];
}

export async function countOptedOut(owner: Owner, listId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from contact_list l join ${optOuts} o on o.account_id = l.account_id
    where l.account_id = ${owner.accountId}::uuid and l.id = ${listId}
      and exists (select 1 from person p join membership m on m.person_id = p.id and m.list_id = l.id
        where p.account_id = l.account_id and p.phone = o.phone)`.execute(owner.db);
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
    select m.seq, p.phone, p.name, ${optedOut} as opted_out
    from membership m join person p on p.id = m.person_id and p.account_id = ${owner.accountId}::uuid
    where m.list_id = ${listId} and m.seq > ${after} and ${matchesPerson(search)}
    order by m.seq limit ${limit}`,
  );
}

/** `last`: the seq of the last contact, null on an empty page. */
export type ExportPage = { names: string[]; phones: number[]; last: number | null };

/**
 * Two JSON arrays: a row for each would take the driver longer than all the rest. By count and one by one,
 * so that each page reads only its own rows.
 */
export async function findExportPage(
  owner: Owner,
  listId: number,
  { after, limit }: { after: number; limit: number },
): Promise<ExportPage> {
  const { rows } = await sql<ExportPage>`
    select coalesce(json_agg(name), '[]') as names, coalesce(json_agg(phone), '[]') as phones, max(seq) as last
    from (
      select p.name, p.phone, m.seq
      from (
        select person_id, seq from membership where list_id = ${listId} and seq > ${after} order by seq limit ${limit}) m
      cross join lateral (
        select name, phone from person where id = m.person_id and account_id = ${owner.accountId}::uuid offset 0) p
      order by m.seq) as page`.execute(owner.db);
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
  const { rows } = await sql`select from person p join membership m on m.person_id = p.id
    join contact_list l on l.id = m.list_id and l.account_id = ${account} and l.name = ${listName}
    where p.account_id = ${account} and p.phone = ${phone}::bigint limit 1`.execute(owner.db);
  return rows.length > 0;
}

/** False: the person is there already. */
export async function appendPerson(owner: Owner, listId: number, person: PutPerson): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with placed as (
      insert into membership (list_id, seq, person_id)
      select l.id, coalesce((select max(seq) + 1 from membership where list_id = l.id), 0), ${person.id}::bigint
      from contact_list l where l.id = ${listId} and l.account_id = ${owner.accountId}::uuid
      on conflict (list_id, person_id) do nothing
      returning list_id)
    update contact_list l set contacts = l.contacts + 1 from placed where l.id = placed.list_id`.execute(
    owner.db,
  );
  if (person.added) await countAdded(owner, 1);
  return numAffectedRows === 1n;
}
