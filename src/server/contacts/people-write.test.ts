import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactListCard, ListedContact } from "../../contract/contacts.ts";
import type { PersonDetails } from "../../contract/people.ts";
import { setLimit } from "../db/account-limits.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

async function newAccount() {
  const id = await accountRow(db);
  const me = contacts.as(id);
  const add = async (body: object) => (await me.call<PersonDetails>("POST", "/api/people", body)).body;
  const field = async (label: string, kind: string) =>
    (await me.call<{ key: string }>("POST", "/api/contact-fields", { label, kind })).body.key;
  const kept = async () => {
    const { rows } = await sql<{
      people: number;
    }>`select people from account_people where account_id = ${id}::uuid`.execute(db);
    return rows[0]?.people ?? 0;
  };
  const listed = async (listId: number) => {
    const { body } = await me.call<{ items: ListedContact[] }>(
      "GET",
      `/api/contact-lists/${listId}/contacts`,
    );
    const card = await me.call<ContactListCard>("GET", `/api/contact-lists/${listId}`);
    expect(card.body.count).toBe(body.items.length);
    return body.items.map(({ seq, phone }) => [seq, phone]);
  };
  return { id, ...me, add, field, kept, listed };
}

test("a person is added with fields and lists; every page of them agrees", async () => {
  const me = await newAccount();
  await me.field("Última vacina", "date");
  const listId = await listRow(db, me.id, 2);
  const made = await me.call<PersonDetails>("POST", "/api/people", {
    name: " Ana ",
    phone: "(31) 8765-4321",
    fields: { ultima_vacina: "2026-02-28" },
    listIds: [listId, listId],
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: "Ana",
    phone: "5531987654321",
    fields: { ultima_vacina: "2026-02-28" },
    lists: [{ id: listId, name: "Clientes" }],
    origin: { kind: "hand", fileName: null, row: null, by: null },
    optOut: null,
  });
  expect((await me.call("GET", `/api/people/${made.body.id}`)).body).toEqual(made.body);
  expect((await me.listed(listId)).at(-1)).toEqual([2, "5531987654321"]);
  expect(await me.kept()).toBe(3);
});

test("name and phone are required, each error at its field", async () => {
  const me = await newAccount();
  const { status, body } = await me.call("POST", "/api/people", { name: " ", phone: "31", fields: { x: 1 } });
  expect(status).toBe(422);
  expect(body).toMatchObject({
    fields: {
      name: "Preencha este campo.",
      phone: expect.stringContaining("Faltam dígitos"),
      "fields.x": "Campo desconhecido.",
    },
  });
  expect(await me.kept()).toBe(0);
});

test("a known phone is refused with the known person, and nothing is written", async () => {
  const me = await newAccount();
  const ana = await me.add({ name: "Ana", phone: "31987654321" });
  const listId = await listRow(db, me.id, 0);
  const again = { name: "Bia", phone: "+55 31 98765-4321", listIds: [listId] };
  const { status, body } = await me.call("POST", "/api/people", again);
  expect([status, body]).toEqual([
    409,
    {
      code: "phone_taken",
      error: "Este telefone já é de Ana.",
      details: { id: ana.id, name: "Ana", phone: "5531987654321" },
    },
  ]);
  expect(await me.listed(listId)).toEqual([]);
  expect((await me.call<PersonDetails>("GET", `/api/people/${ana.id}`)).body.name).toBe("Ana");
  expect(await me.kept()).toBe(1);
});

test("of two who add the same phone at once, one does", async () => {
  const me = await newAccount();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      me.call("POST", "/api/people", { name: `P${at}`, phone: "31987654321" }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  expect(await me.kept()).toBe(1);
});

test("the limit of people counts each place", async () => {
  const me = await newAccount();
  const lists = [await listRow(db, me.id, 0), await listRow(db, me.id, 0)];
  await setLimit(db, me.id, "people", 1);
  const wanted = { name: "Ana", phone: "31987654321" };
  const refused = await me.call("POST", "/api/people", { ...wanted, listIds: lists });
  expect([refused.status, refused.body]).toMatchObject([409, { code: "limit_reached" }]);
  expect((await me.call("POST", "/api/people", wanted)).status).toBe(201);
});

test("a change touches only what it names; null and blank take a value away", async () => {
  const me = await newAccount();
  await me.field("Pet", "text");
  await me.field("Peso", "number");
  await me.field("Ativo", "boolean");
  const ana = await me.add({
    name: "Ana",
    phone: "31987654321",
    fields: { pet: "Rex", peso: 4.5, ativo: true },
  });
  const change = async (body: object) =>
    (await me.call<PersonDetails>("PATCH", `/api/people/${ana.id}`, body)).body;
  expect(await change({ fields: { peso: null, ativo: false } })).toMatchObject({
    name: "Ana",
    phone: "5531987654321",
    fields: { pet: "Rex", ativo: false },
  });
  expect((await change({ fields: { pet: "  " } })).fields).toEqual({ ativo: false });
  expect(await change({ name: "" })).toMatchObject({ name: "", fields: { ativo: false } });
  const moved = await change({ phone: "21 98765-4321" });
  expect(moved.phone).toBe("5521987654321");
  expect(moved.updatedAt > ana.updatedAt).toBe(true);
});

test("a value of another kind is refused at its field, and nothing changes", async () => {
  const me = await newAccount();
  await me.field("Peso", "number");
  await me.field("Nascimento", "date");
  const ana = await me.add({ name: "Ana", phone: "31987654321", fields: { peso: 4 } });
  const wrong = { peso: "muito", nascimento: "2026-02-30", cor: "azul" };
  const answer = await me.call("PATCH", `/api/people/${ana.id}`, { name: "Bia", fields: wrong });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    fields: {
      "fields.peso": "Valor de tipo errado.",
      "fields.nascimento": "Data inválida.",
      "fields.cor": "Campo desconhecido.",
    },
  });
  expect((await me.call("GET", `/api/people/${ana.id}`)).body).toEqual(ana);
});

test("a phone of another person is refused with that person; the digits of a foreign one stay hers", async () => {
  const me = await newAccount();
  const lima = await me.add({ name: "Luz", phone: "+51 987 654 321" });
  const bia = await me.add({ name: "Bia", phone: "31987654322" });
  const taken = await me.call("PATCH", `/api/people/${lima.id}`, { phone: "31987654322" });
  expect([taken.status, taken.body]).toMatchObject([
    409,
    { code: "phone_taken", details: { id: bia.id, name: "Bia", phone: "5531987654322" } },
  ]);
  const same = await me.call<PersonDetails>("PATCH", `/api/people/${lima.id}`, { phone: "51987654321" });
  expect(same.body.phone).toBe("51987654321");
});

test("two people become one: lists of both in their places, values as given, deliveries as they were", async () => {
  const me = await newAccount();
  await me.field("Pet", "text");
  await me.field("Peso", "number");
  const both = await listRow(db, me.id, 3, "Os dois");
  const [ana, bia] = (await me.call<{ items: PersonDetails[] }>("GET", "/api/people?limit=2")).body.items;
  const hers = await listRow(db, me.id, 0, "Só dela");
  await me.call("POST", "/api/people/add-to-list", { selection: { ids: [bia?.id] }, listId: hers });
  await me.call("PATCH", `/api/people/${ana?.id}`, { fields: { pet: "Rex", peso: 4 } });
  const campaign = await campaignRow(db, me.id, { people: { sent: 3 } });
  const merged = await me.call<PersonDetails>("POST", `/api/people/${ana?.id}/merge`, {
    otherId: bia?.id,
    phone: bia?.phone,
    name: "Ana Bia",
    fields: { peso: 5 },
  });
  expect(merged.status).toBe(200);
  expect(merged.body).toMatchObject({
    id: ana?.id,
    name: "Ana Bia",
    phone: "5511900000001",
    fields: { peso: 5 },
    lists: [{ id: hers }, { id: both }],
  });
  expect(merged.body.fields).toEqual({ peso: 5 });
  expect((await me.call("GET", `/api/people/${bia?.id}`)).status).toBe(404);
  expect(await me.listed(both)).toEqual([
    [0, "5511900000001"],
    [2, "5511900000002"],
  ]);
  expect(await me.listed(hers)).toEqual([[0, "5511900000001"]]);
  expect(await me.kept()).toBe(2);
  const { rows } =
    await sql`select name, phone::text as phone from delivery where campaign_id = ${campaign} order by seq`.execute(
      db,
    );
  expect(rows).toMatchObject([{ name: "Pessoa 0", phone: "5511900000000" }, { name: "Pessoa 1" }, {}]);
});

test("who left under one phone has left after a merge under the other", async () => {
  const me = await newAccount();
  const ana = await me.add({ name: "Ana", phone: "31987654321" });
  const bia = await me.add({ name: "Bia", phone: "31987654322" });
  await sql`insert into opt_out (account_id, phone, source, text) values (${me.id}::uuid, ${bia.phone}, 'reply', 'Pare')`.execute(
    db,
  );
  const body = { otherId: bia.id, phone: ana.phone, name: "Ana", fields: {} };
  const merged = await me.call<PersonDetails>("POST", `/api/people/${ana.id}/merge`, body);
  expect(merged.body).toMatchObject({ phone: ana.phone, optOut: { source: "reply", text: "Pare" } });
});

test("a merge under a third phone, of a person with herself or with one who is gone is refused", async () => {
  const me = await newAccount();
  const ana = await me.add({ name: "Ana", phone: "31987654321" });
  const bia = await me.add({ name: "Bia", phone: "31987654322" });
  const merge = (body: object) =>
    me.call(`POST`, `/api/people/${ana.id}/merge`, {
      otherId: bia.id,
      phone: ana.phone,
      name: "Ana",
      fields: {},
      ...body,
    });
  expect(await merge({ phone: "31987654323" })).toMatchObject({
    status: 422,
    body: { fields: { phone: "Valor inválido." } },
  });
  expect((await merge({ otherId: ana.id })).status).toBe(422);
  expect((await merge({ otherId: 999_999 })).status).toBe(404);
  expect(await me.kept()).toBe(2);
  expect((await me.call("GET", `/api/people/${bia.id}`)).status).toBe(200);
});

test("an opt-out is shown with its words and date; a file's origin with its name and row", async () => {
  const me = await newAccount();
  const report = await me.import("Nome;Telefone\nAna;11987654321\n", {
    name: "Clientes",
    fileName: "clientes.csv",
  });
  await sql`insert into opt_out (account_id, phone, source, text) values (${me.id}::uuid, 5511987654321, 'reply', 'Pare')`.execute(
    db,
  );
  const { items } = (await me.call<{ items: PersonDetails[] }>("GET", "/api/people")).body;
  const path = `/api/people/${items[0]?.id}`;
  expect((await me.call("GET", path)).body).toMatchObject({
    optedOut: true,
    optOut: { source: "reply", text: "Pare", at: expect.any(String) },
    origin: { kind: "file", fileName: "clientes.csv", row: 2, by: null },
  });
  await sql`delete from contact_import where id = ${report.id}`.execute(db);
  expect((await me.call("GET", path)).body).toMatchObject({
    origin: { kind: "file", fileName: null, row: 2 },
  });
  await sql`update person set origin = 'migration' where account_id = ${me.id}::uuid`.execute(db);
  expect((await me.call("GET", path)).body).toMatchObject({ origin: { kind: "before" } });
});
