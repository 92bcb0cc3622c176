import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Person } from "../../contract/people.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

type Page = { items: Person[]; total: number; next: string | null };

const newAccount = async () => {
  const id = await accountRow(db);
  return { id, ...contacts.as(id) };
};
type Me = Awaited<ReturnType<typeof newAccount>>;

/** Equal names and equal times. */
async function manyPeople(account: string, people: number): Promise<void> {
  await sql`insert into person (account_id, phone, name, origin, created_at)
    select ${account}::uuid, 5511900000000 + n, (array['Ana', 'ana', 'Ângela', '', 'Zé'])[1 + n / 3 % 5], 'hand',
      timestamptz '2026-11-01' + n / 5 * interval '1 microsecond' from generate_series(0, ${people}::int - 1) n`.execute(
    db,
  );
  await sql`insert into account_people values (${account}::uuid, ${people})`.execute(db);
}

async function listOf(account: string, which: string): Promise<number> {
  const id = await listRow(db, account, 0);
  await sql`with placed as (
      insert into membership (list_id, seq, person_id)
      select ${id}::bigint, row_number() over (order by phone desc) - 1, id from person where account_id = ${account}::uuid and ${sql.raw(which)}
      returning 1)
    update contact_list set contacts = (select count(*) from placed) where id = ${id}`.execute(db);
  return id;
}

async function allPages(me: Me, query: string): Promise<Person[]> {
  const found: Person[] = [];
  let next: string | null = "";
  while (next !== null) {
    const cursor: string = next === "" ? "" : `&cursor=${next}`;
    const { body } = await me.call<Page>("GET", `/api/people?${query}${cursor}`);
    found.push(...body.items);
    next = body.next;
  }
  return found;
}

const inOrder = async (account: string, order: string) => {
  const { rows } = await sql<{ id: number }>`select p.id from person p where p.account_id = ${account}::uuid
    order by ${sql.raw(order)}`.execute(db);
  return rows.map(({ id }) => id);
};

test.each([
  ["sort=name", "lower(p.name), p.id"],
  ["sort=name&descending=true", "lower(p.name) desc, p.id desc"],
  ["sort=created", "p.created_at, p.id"],
  ["sort=created&descending=true", "p.created_at desc, p.id desc"],
])("pages of %s bring each person once, in order, among equal ones too", async (query, order) => {
  const me = await newAccount();
  await manyPeople(me.id, 100);
  await manyPeople((await newAccount()).id, 10);
  const expected = await inOrder(me.id, order);
  for (const limit of [1, 7, 100]) {
    const found = await allPages(me, `${query}&limit=${limit}`);
    expect(found.map(({ id }) => id)).toEqual(expected);
  }
});

test.each([
  ["a dense list", "phone % 10 <> 0", 90],
  ["a list whose people have names side by side", "name = 'Zé'", 18],
  ["a small list", "phone % 20 = 0", 5],
])("%s: by name, and by the order in which people came to it", async (_, which, size) => {
  const me = await newAccount();
  await manyPeople(me.id, 100);
  const listId = await listOf(me.id, which);
  const byName = (await inOrder(me.id, "lower(p.name), p.id")).length;
  expect(byName).toBe(100);
  const members = await sql<{ id: number }>`select p.id from membership m join person p on p.id = m.person_id
    where m.list_id = ${listId} order by lower(p.name), p.id`.execute(db);
  const names = await allPages(me, `listId=${listId}&limit=4`);
  expect(names.map(({ id }) => id)).toEqual(members.rows.map(({ id }) => id));
  expect(names).toHaveLength(size);
  const back = await allPages(me, `listId=${listId}&limit=4&descending=true`);
  expect(back.map(({ id }) => id)).toEqual(members.rows.map(({ id }) => id).toReversed());
  const came = await allPages(me, `listId=${listId}&limit=4&sort=created`);
  expect(came.map(({ phone }) => phone)).toEqual(
    came
      .map(({ phone }) => phone)
      .toSorted()
      .toReversed(),
  );
  expect(came).toHaveLength(size);
});

test("a dense list whose people stand behind more names than are walked along is sorted", async () => {
  const me = await newAccount();
  await sql`insert into person (account_id, phone, name, origin)
    select ${me.id}::uuid, 5511900000000 + n, case when n < 21000 then 'A' else 'B' || n end, 'hand' from generate_series(1, 24000) n`.execute(
    db,
  );
  await sql`insert into account_people values (${me.id}::uuid, 24000)`.execute(db);
  const listId = await listOf(me.id, "name like 'B%'");
  const { body } = await me.call<Page>("GET", `/api/people?listId=${listId}&limit=2`);
  expect(body.items.map(({ name }) => name)).toEqual(["B21000", "B21001"]);
  expect(body.total).toBe(3_001);
});

test("a search finds names without accents and digits of numbers, in the account or a list; count says how many", async () => {
  const me = await newAccount();
  const { listId } = await me.import(
    "Nome;Telefone\nJoão Conceição;11987654321\nAna;11933334444\nBia;21977778888\n",
  );
  await me.import("Nome;Telefone\nMaria da Conceição;11955556666\n");
  const named = async (query: string) => (await allPages(me, query)).map(({ name }) => name);
  expect(await named("search=conceicao")).toEqual(["João Conceição", "Maria da Conceição"]);
  expect(await named(`search=CONCEICAO&listId=${listId}`)).toEqual(["João Conceição"]);
  expect(await named(`search=${encodeURIComponent("(11) 93333-4444")}`)).toEqual(["Ana"]);
  expect(await named("search=%20%20&limit=2")).toEqual([
    "Ana",
    "Bia",
    "João Conceição",
    "Maria da Conceição",
  ]);
  expect(await named("search=%25")).toEqual([]);
  const count = async (query: string) =>
    (await me.call<{ people: number }>("GET", `/api/people/count${query}`)).body.people;
  expect(await count("")).toBe(4);
  expect(await count("?search=conceicao")).toBe(2);
  expect(await count(`?search=conceicao&listId=${listId}`)).toBe(1);
  expect(await count(`?listId=${listId}`)).toBe(3);
  const { body } = await me.call<Page>("GET", "/api/people?search=ana");
  expect(body.total).toBe(4);
});

test("who left or asks to leave is marked; a list of others is not found", async () => {
  const me = await newAccount();
  await listRow(db, me.id, 3);
  await sql`insert into opt_out (account_id, phone, source) values (${me.id}::uuid, 5511900000000, 'manual'), (${me.id}::uuid, 5511900000001, 'asked')`.execute(
    db,
  );
  const { body } = await me.call<Page>("GET", "/api/people");
  expect(body.items.map(({ optedOut, asksToLeave }) => [optedOut, asksToLeave])).toEqual([
    [true, undefined],
    [true, true],
    [undefined, undefined],
  ]);
  const theirs = await listRow(db, (await newAccount()).id, 1);
  for (const path of ["", "/count", "/export"])
    expect((await me.call("GET", `/api/people${path}?listId=${theirs}`)).status).toBe(404);
});

test("a cursor of another order, or one that was made up, is refused at its field", async () => {
  const me = await newAccount();
  await manyPeople(me.id, 3);
  const { body } = await me.call<Page>("GET", "/api/people?limit=1&sort=created");
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const cursor of [
    body.next,
    "x",
    coded({ by: "name", key: "a\0", id: 1 }),
    coded({ by: "name", key: "a", id: -1 }),
    coded({ by: "name", key: "a", id: 1e300 }),
    coded({ by: "seq", key: 1 }),
    coded(null),
  ]) {
    const answer = await me.call("GET", `/api/people?cursor=${cursor}`);
    expect([cursor, answer.status]).toEqual([cursor, 422]);
    expect(answer.body).toMatchObject({ code: "invalid_fields", fields: { cursor: "Valor inválido." } });
  }
});
