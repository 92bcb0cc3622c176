import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactListCard } from "../../contract/contacts.ts";
import type { Person } from "../../contract/people.ts";
import { setLimit } from "../db/account-limits.ts";

const database = await testDatabase();
const { db } = database;
const marks: string[] = [];
const contacts = contactsApp(database, { mark: (account, topic) => void marks.push(`${account} ${topic}`) });

type Touched = { people: number };

async function newAccount() {
  const id = await accountRow(db);
  const me = contacts.as(id);
  const post = (what: string, body: object) => me.call<Touched>("POST", `/api/people/${what}`, body);
  const people = async (query = "") =>
    (await me.call<{ items: Person[] }>("GET", `/api/people${query}`)).body.items;
  const places = async (listId: number) => {
    const { rows } = await sql<{ seq: number; phone: string }>`
      select m.seq, p.phone::text as phone from membership m join person p on p.id = m.person_id
      where m.list_id = ${listId} order by m.seq`.execute(db);
    const { body } = await me.call<ContactListCard>("GET", `/api/contact-lists/${listId}`);
    expect(body.count).toBe(rows.length);
    return rows.map(({ seq, phone }) => [seq, phone.slice(-2)]);
  };
  const kept = async () => {
    const { rows } = await sql<{ people: number }>`
      select people from account_people where account_id = ${id}::uuid`.execute(db);
    const { rows: real } = await sql<{ n: number }>`
      select count(*)::int as n from person where account_id = ${id}::uuid`.execute(db);
    expect(rows[0]?.people ?? 0).toBe(real[0]?.n);
    return real[0]?.n;
  };
  return { id, ...me, post, people, places, kept };
}

test("people are added behind those in the list, each once, and the count follows", async () => {
  const me = await newAccount();
  const listId = await listRow(db, me.id, 2);
  await listRow(db, me.id, 5, "Todos");
  const ids = (await me.people()).map((each) => each.id);
  marks.length = 0;
  const add = (selection: object) => me.post("add-to-list", { listId, selection });
  expect(await add({ ids: [ids[3], ids[1], ids[4], 999_999] })).toMatchObject({
    status: 200,
    body: { people: 2 },
  });
  expect(marks).toContain(`${me.id} contacts`);
  expect(await me.places(listId)).toEqual([
    [0, "00"],
    [1, "01"],
    [2, "03"],
    [3, "04"],
  ]);
  expect((await add({ all: { search: "pessoa" } })).body).toEqual({ people: 1 });
  expect((await add({ all: {} })).body).toEqual({ people: 0 });
  expect(await me.places(listId)).toHaveLength(5);
  expect(await me.kept()).toBe(5);
});

test("all of a list come in its order", async () => {
  const me = await newAccount();
  const from = await listRow(db, me.id, 4);
  await sql`update membership set seq = 10 - seq where list_id = ${from}`.execute(db);
  const to = await listRow(db, me.id, 0, "Nova");
  expect((await me.post("add-to-list", { listId: to, selection: { all: { listId: from } } })).body).toEqual({
    people: 4,
  });
  expect(await me.places(to)).toEqual([
    [0, "03"],
    [1, "02"],
    [2, "01"],
    [3, "00"],
  ]);
});

test("people taken out of a list stay in the account and in other lists", async () => {
  const me = await newAccount();
  const listId = await listRow(db, me.id, 3);
  const other = await listRow(db, me.id, 3, "Outra");
  const [first] = await me.people();
  const out = (selection: object) => me.post("remove-from-list", { listId, selection });
  expect((await out({ ids: [first?.id] })).body).toEqual({ people: 1 });
  expect((await out({ ids: [first?.id] })).body).toEqual({ people: 0 });
  expect((await out({ all: { listId: other, search: "pessoa 2" } })).body).toEqual({ people: 1 });
  expect(await me.places(listId)).toEqual([[1, "01"]]);
  expect(await me.places(other)).toHaveLength(3);
  expect(await me.kept()).toBe(3);
});

test("people removed from the account leave all lists, and it is on record", async () => {
  const me = await newAccount();
  const lists = [await listRow(db, me.id, 3), await listRow(db, me.id, 5, "Outra")];
  expect(
    (await me.post("remove", { selection: { all: { listId: lists[0], search: "pessoa 1" } } })).body,
  ).toEqual({
    people: 1,
  });
  expect((await me.post("remove", { selection: { all: { listId: lists[0] } } })).body).toEqual({ people: 2 });
  expect(await me.places(lists[0] ?? 0)).toEqual([]);
  expect(await me.places(lists[1] ?? 0)).toEqual([
    [3, "03"],
    [4, "04"],
  ]);
  expect(await me.kept()).toBe(2);
  const { rows } = await sql`select details from audit_event
    where account_id = ${me.id}::uuid and kind = 'people_removed' order by id`.execute(db);
  expect(rows).toEqual([{ details: { contacts: 1 } }, { details: { contacts: 2 } }]);
});

test("ids of another account's people touch no one, and their lists are not found", async () => {
  const [me, others] = [await newAccount(), await newAccount()];
  const mine = await listRow(db, me.id, 1);
  const theirs = await listRow(db, others.id, 2);
  const ids = (await others.people()).map(({ id }) => id);
  for (const what of ["add-to-list", "remove-from-list"]) {
    expect((await me.post(what, { listId: mine, selection: { ids } })).body).toEqual({ people: 0 });
    expect((await me.post(what, { listId: theirs, selection: { ids } })).status).toBe(404);
    expect((await me.post(what, { listId: mine, selection: { all: { listId: theirs } } })).status).toBe(404);
  }
  expect((await me.post("remove", { selection: { ids } })).body).toEqual({ people: 0 });
  expect((await me.post("remove", { selection: { all: { listId: theirs } } })).status).toBe(404);
  expect(await others.kept()).toBe(2);
  expect(await me.places(mine)).toHaveLength(1);
  expect((await me.post("remove", { selection: { all: {} } })).body).toEqual({ people: 1 });
  expect(await others.kept()).toBe(2);
});

test("a list that would pass the account's limit is not changed", async () => {
  const me = await newAccount();
  await listRow(db, me.id, 3);
  const listId = await listRow(db, me.id, 0, "Nova");
  await setLimit(db, me.id, "people", 5);
  const answer = await me.post("add-to-list", { listId, selection: { all: {} } });
  expect([answer.status, answer.body]).toMatchObject([409, { code: "limit_reached" }]);
  expect(await me.places(listId)).toEqual([]);
});

test("people added, taken out and removed at once leave counts that are right", async () => {
  const me = await newAccount();
  const lists = [
    await listRow(db, me.id, 30),
    await listRow(db, me.id, 20, "B"),
    await listRow(db, me.id, 10, "C"),
  ];
  const ids = (await me.people("?limit=200")).map(({ id }) => id);
  const answers = await Promise.all(
    ids.map((id, at) => {
      const selection = { ids: [id, ids[(at + 7) % ids.length]] };
      const listId = lists[at % 3];
      if (at % 3 === 0) return me.post("remove", { selection });
      return me.post(at % 3 === 1 ? "add-to-list" : "remove-from-list", { listId, selection });
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const listId of lists) await me.places(listId);
  await me.kept();
  const { rows } =
    await sql`select from membership m where not exists (select from person p where p.id = m.person_id)`.execute(
      db,
    );
  expect(rows).toEqual([]);
});

test("each change of people, fields and lists is published to the screens that show people", async () => {
  const me = await newAccount();
  const person = { name: "Ana", phone: "31987654321" };
  const published = async (method: string, path: string, body?: object) => {
    marks.length = 0;
    const answer = await me.call<{ id: number }>(method, path, body);
    expect([path, answer.status, marks]).toEqual([
      path,
      method === "POST" && !path.includes("people/") ? 201 : 200,
      ["contacts", "campaigns", "chats"].map((topic) => `${me.id} ${topic}`),
    ]);
    return answer.body.id;
  };
  const list = await published("POST", "/api/contact-lists", { name: "Clientes" });
  await published("PATCH", `/api/contact-lists/${list}`, { name: "Nova" });
  await published("POST", `/api/contact-lists/${list}/duplicate`, { name: "Cópia" });
  const field = await published("POST", "/api/contact-fields", { label: "Pet", kind: "text" });
  await published("PATCH", `/api/contact-fields/${field}`, { label: "Bicho" });
  const ana = await published("POST", "/api/people", person);
  const bia = await published("POST", "/api/people", { name: "Bia", phone: "31987654322" });
  await published("PATCH", `/api/people/${ana}`, { fields: { pet: "Rex" } });
  await published("POST", `/api/people/${ana}/merge`, { ...person, otherId: bia, fields: {} });
  const selection = { ids: [ana] };
  await published("POST", "/api/people/add-to-list", { listId: list, selection });
  await published("POST", "/api/people/remove-from-list", { listId: list, selection });
  await published("DELETE", `/api/contact-fields/${field}`);
  await published("POST", "/api/people/remove", { selection });
});
