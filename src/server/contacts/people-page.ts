import { type RawBuilder, sql } from "kysely";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { phonePattern } from "../db/search.ts";
import { sqlParts } from "../sending/sending.ts";
import type { PeoplePlace } from "./people-cursor.ts";
import { matchesPerson, ours, type PersonRow } from "./people-repo.ts";

const { optOuts } = sqlParts();

/** `key`: what a page continues from, by its order. */
export type PagedPerson = PersonRow & { key: string | number };

/** `seq`: the order of a list. */
type Order = { by: PeoplePlace["by"]; descending: boolean };

export type WantedPeople = {
  listId: number | null;
  search: string;
  /** Only these; null: all. */
  ids: readonly number[] | null;
  order: Order;
  after: PeoplePlace | null;
  limit: number;
};

type Sizes = { inList: number; inAccount: number };

/** Sorting 10,000 of a list and passing by 10,000 of the account take 40 ms. */
const WALKED_FOR_A_PAGE = 100;
const WALKED_MOST = 20_000;

export function placeOf(by: PeoplePlace["by"], { id, key }: PagedPerson): PeoplePlace {
  if (by === "name") return { by, id, key: String(key) };
  return by === "seq" ? { by, key: Number(key) } : { by, id, key: Number(key) };
}

/** 1 ms of a million, a list sorted by name up to 50 ms; a search reads all names. */
export async function findPage(owner: Owner, wanted: WantedPeople, sizes?: Sizes): Promise<PagedPerson[]> {
  const { listId, search, order } = wanted;
  if (search !== "") return byIndex(owner.db, shown(owner, order, pageOf(owner, wanted)));
  if (listId !== null && order.by === "name" && sizes && isDense(sizes)) {
    const walked = await walk(owner, wanted, listId);
    if (walked) return walked;
  }
  return (await shown(owner, order, pageOf(owner, wanted)).execute(owner.db)).rows;
}

const isDense = ({ inList, inAccount }: Sizes) => inList * inList > inAccount * WALKED_FOR_A_PAGE;

/** Goes along the names of the account; null: too few of the list were near, as where names stand side by side. */
async function walk(owner: Owner, wanted: WantedPeople, listId: number): Promise<PagedPerson[] | null> {
  const { order, after, limit } = wanted;
  const those = sql`${ours(owner)} and ${behind(after, order.descending)}`;
  const near = sql`select ${columns(order)} from person p where ${those} order by ${sorted(order)}`;
  const page = sql`select p.* from (${near} limit ${WALKED_MOST}) p
    cross join lateral (select from membership m where m.list_id = ${listId} and m.person_id = p.id offset 0) m
    order by ${byKey(order)} limit ${limit}`;
  const { rows } = await shown(owner, order, page).execute(owner.db);
  if (rows.length === limit) return rows;
  const beyond = await sql`${near} offset ${WALKED_MOST} limit 1`.execute(owner.db);
  return beyond.rows.length === 0 ? rows : null;
}

/** With opt-outs of the page alone. */
const shown = (owner: Owner, order: Order, page: RawBuilder<unknown>) => sql<PagedPerson>`
  select p.id, p.phone::text as phone, p.name, p.fields, p.created_at, p.key,
    (select o.source from ${optOuts} o where o.account_id = ${owner.accountId}::uuid and o.phone = p.phone) as opted_out
  from (${page}) p order by ${byKey(order)}`;

function pageOf(owner: Owner, wanted: WantedPeople): RawBuilder<unknown> {
  const { listId, search, ids, order, after, limit } = wanted;
  const named = ids === null ? sql`true` : sql`p.id = any(${ids}::bigint[])`;
  const matching = sql`${ours(owner)} and ${behind(after, order.descending)} and ${named} and ${matchesPerson(search)}`;
  const cut = sql`order by ${sorted(order)} limit ${limit}`;
  if (listId !== null) return pageOfList(owner, wanted, matching);
  // Few have these digits: the plan that walks all names in their order would take seconds.
  if (phonePattern(search) !== null)
    return sql`select ${columns(order)} from (select p.* from person p where ${matching} offset 0) p ${cut}`;
  return sql`select ${columns(order)} from person p where ${matching} ${cut}`;
}

/** Without a search people are looked up one by one: a list without statistics would read all of the account. */
function pageOfList(
  owner: Owner,
  { listId, search, ids, order, after, limit }: WantedPeople,
  matching: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const isWhole = search === "" && ids === null;
  const cut = sql`order by ${sorted(order)} limit ${limit}`;
  const each = sql`cross join lateral (select p.* from person p where p.id = m.person_id and ${ours(owner)} offset 0) p`;
  const joined = sql`membership m join person p on p.id = m.person_id`;
  if (order.by !== "seq") {
    const members = isWhole ? sql`membership m ${each}` : joined;
    return sql`select ${columns(order)} from (
      select p.* from ${members} where m.list_id = ${listId} and ${matching} offset 0) p ${cut}`;
  }
  if (!isWhole)
    return sql`select ${columns(order)} from ${joined} where m.list_id = ${listId} and ${matching} ${cut}`;
  return sql`select ${columns(order)} from (
    select m.seq, m.person_id from membership m
    where m.list_id = ${listId} and ${behind(after, order.descending)} ${cut}) m ${each}`;
}

const KEYS = {
  name: sql`lower(p.name)`,
  created: sql`(extract(epoch from p.created_at) * 1000000)::bigint`,
  seq: sql`m.seq`,
};

const columns = ({ by }: Order) => sql`p.id, p.phone, p.name, p.fields, p.created_at, ${KEYS[by]} as key`;

const direction = ({ descending }: Order) => (descending ? sql`desc` : sql`asc`);
const byKey = (order: Order) => sql`p.key ${direction(order)}, p.id ${direction(order)}`;

function sorted(order: Order): RawBuilder<unknown> {
  if (order.by === "seq") return sql`m.seq ${direction(order)}`;
  const column = order.by === "name" ? sql`lower(p.name)` : sql`p.created_at`;
  return sql`${column} ${direction(order)}, p.id ${direction(order)}`;
}

function behind(after: PeoplePlace | null, descending: boolean): RawBuilder<unknown> {
  if (after === null) return sql`true`;
  const than = descending ? sql`<` : sql`>`;
  if (after.by === "seq") return sql`m.seq ${than} ${after.key}::bigint`;
  if (after.by === "name") return sql`(lower(p.name), p.id) ${than} (${after.key}, ${after.id}::bigint)`;
  return sql`(p.created_at, p.id) ${than} (timestamptz 'epoch' + ${after.key}::bigint * interval '1 microsecond', ${after.id}::bigint)`;
}
