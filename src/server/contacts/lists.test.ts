import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { accountRow, campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactListCard, ListedContact } from "../../contract/contacts.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

type Cards = { items: ContactListCard[]; next: number | null; total: { lists: number; contacts: number } };
const newPerson = async () => {
  const id = await accountRow(db);
  return { id, ...contacts.as(id) };
};

describe("cards", () => {
  test("newest first, with count, the first three, and pages by key @spec 3.2,6.2,7.1,9.7", async () => {
    const me = await newPerson();
    const old = await listRow(db, me.id, 5, "Antiga");
    const fresh = await listRow(db, me.id, 2, "Nova");
    await listRow(db, (await newPerson()).id, 1, "De outra conta");
    const { body } = await me.call<Cards>("GET", "/api/contact-lists");
    expect(body.items).toMatchObject([
      { id: fresh, name: "Nova", count: 2, matches: null },
      { id: old, name: "Antiga", count: 5 },
    ]);
    expect(body.items[1]?.first).toEqual([
      { name: "Pessoa 0", phone: "5511900000000" },
      { name: "Pessoa 1", phone: "5511900000001" },
      { name: "Pessoa 2", phone: "5511900000002" },
    ]);
    const first = (await me.call<Cards>("GET", "/api/contact-lists?limit=1")).body;
    expect(first).toMatchObject({ items: [{ id: fresh }], next: fresh });
    const second = (await me.call<Cards>("GET", `/api/contact-lists?limit=1&after=${first.next}`)).body;
    expect(second).toMatchObject({ items: [{ id: old }], next: null });
  });

  test("one list says how many of its people want no campaigns of this account", async () => {
    const me = await newPerson();
    const other = await newPerson();
    const mine = await listRow(db, me.id, 5);
    await listRow(db, other.id, 5);
    for (const [who, phone] of [
      [me, "5511900000001"],
      [me, "5511900000004"],
      [me, "5511999999999"],
      [other, "5511900000002"],
    ] as const)
      await sql`insert into opt_out (account_id, phone, source) values (${who.id}::uuid, ${phone}::bigint, 'manual')`.execute(
        db,
      );
    const { body } = await me.call("GET", `/api/contact-lists/${mine}`);
    expect(body).toMatchObject({ count: 5, optedOut: 2 });
    expect((await other.call("GET", `/api/contact-lists/${mine}`)).status).toBe(404);
  });

  test("the total is that of all lists, on every page and whatever is searched for", async () => {
    const me = await newPerson();
    for (let at = 0; at < 3; at += 1) await listRow(db, me.id, 2 + at, `Lista ${at}`);
    await listRow(db, (await newPerson()).id, 50, "De outra conta");
    for (const query of ["?limit=1", "?search=Lista%202", "?search=nada"]) {
      const { body } = await me.call<Cards>("GET", `/api/contact-lists${query}`);
      expect(body.total).toEqual({ lists: 3, contacts: 9 });
    }
  });

  test("a search by name or phone shows and counts the contacts that match", async () => {
    const me = await newPerson();
    const clients = await me.import(
      "Nome;Telefone\nAna;11911112222\nBia;11933334444\nJoão Conceição;11955556666\n",
      {
        name: "Clientes",
      },
    );
    const concert = await me.import("Nome;Telefone\nDavi;21977778888\n", { name: "Show da Conceição" });
    const found = async (words: string) =>
      (await me.call<Cards>("GET", `/api/contact-lists?search=${encodeURIComponent(words)}`)).body.items;
    expect(await found("conceicao")).toMatchObject([
      { id: concert.listId, matches: 0, first: [{ name: "Davi" }] },
      { id: clients.listId, matches: 1, first: [{ name: "João Conceição" }] },
    ]);
    expect(await found("(11) 93333-4444")).toMatchObject([
      { id: clients.listId, matches: 1, first: [{ name: "Bia" }] },
    ]);
    expect(await found("100%")).toEqual([]);
    expect(await found("ninguém")).toEqual([]);
  });

  test("contacts of a list: pages by key, search", async () => {
    const me = await newPerson();
    const id = await listRow(db, me.id, 250);
    const page = async (query: string) =>
      (
        await me.call<{ items: ListedContact[]; next: number | null }>(
          "GET",
          `/api/contact-lists/${id}/contacts?${query}`,
        )
      ).body;
    const first = await page("limit=200");
    expect(first.items).toHaveLength(200);
    expect(first.next).toBe(199);
    const rest = await page("limit=200&after=199");
    expect(rest).toMatchObject({ next: null });
    expect(rest.items.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, at) => 200 + at));
    expect(await page("after=")).toMatchObject({ code: "invalid_fields" });
    expect((await page("search=pessoa%20249")).items).toMatchObject([{ seq: 249, phone: "5511900000249" }]);
  });
});

describe("a new contact", () => {
  test("is a list of its own, «Contato manual - {name}» @spec 3.14,7.2", async () => {
    const me = await newPerson();
    const ana = { name: " Ana ", phone: "(31) 8765-4321" };
    const { status, body } = await me.call("POST", "/api/contacts", ana);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      listName: "Contato manual - Ana",
      contact: { name: "Ana", phone: "5531987654321" },
      ninthAdded: true,
    });
    expect(await me.call("POST", "/api/contacts", ana)).toMatchObject({
      status: 409,
      body: { code: "contact_repeated" },
    });
    const { body: cards } = await me.call<Cards>("GET", "/api/contact-lists");
    expect(cards.items).toMatchObject([{ name: "Contato manual - Ana", count: 1, first: [{ name: "Ana" }] }]);
    const other = { name: "Ana", phone: "31 90234-1187" };
    expect((await me.call("POST", "/api/contacts", other)).status).toBe(201);
  });

  test("sent again under its key, as its answer got lost, is answered as the first time, while another's key finds it there", async () => {
    const me = await newPerson();
    const listId = await listRow(db, me.id, 1);
    for (const place of [{}, { listId }]) {
      const [ana, key] = [{ name: "Ana", phone: "31 8765-4321", ...place }, `press ${JSON.stringify(place)}`];
      const add = (idempotencyKey: string, more = {}) =>
        me.call<{ listId: number }>("POST", "/api/contacts", { ...ana, idempotencyKey, ...more });
      const [first, ...again] = [await add(key), ...(await Promise.all([add(key), add(key)]))];
      expect(first.status).toBe(201);
      for (const { status, body } of again) expect([status, body]).toEqual([201, first.body]);
      expect((await add("other")).body).toMatchObject({ code: "contact_repeated" });
      expect((await add(key, { name: "Bia" })).body).toMatchObject({ code: "idempotency_mismatch" });
      await me.call("DELETE", `/api/contact-lists/${first.body.listId}`);
      expect((await add(key)).status).toBe(404);
    }
  });

  test("ten times at once is one list", async () => {
    const me = await newPerson();
    const ana = { name: "Ana", phone: "31987654321" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => me.call("POST", "/api/contacts", ana)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    const { body: cards } = await me.call<Cards>("GET", "/api/contact-lists");
    expect(cards.items).toMatchObject([{ name: "Contato manual - Ana", count: 1 }]);
  });

  test("goes to the end of a list, once @spec 7.1", async () => {
    const me = await newPerson();
    const listId = await listRow(db, me.id, 3);
    const bia = { name: "Bia", phone: "11987654321", listId };
    expect(await me.call("POST", "/api/contacts", bia)).toMatchObject({ status: 201, body: { listId } });
    expect(await me.call("POST", "/api/contacts", bia)).toMatchObject({
      status: 409,
      body: { code: "contact_repeated", error: "Este telefone já está na lista." },
    });
    const { body } = await me.call<ContactListCard>("GET", `/api/contact-lists/${listId}`);
    expect(body.count).toBe(4);
    const { body: page } = await me.call<{ items: ListedContact[] }>(
      "GET",
      `/api/contact-lists/${listId}/contacts`,
    );
    expect(page.items.at(-1)).toEqual({ seq: 3, name: "Bia", phone: "5511987654321" });
  });

  test("twenty at once to one list: all there, each in a place of its own", async () => {
    const me = await newPerson();
    const listId = await listRow(db, me.id, 0);
    const phones = Array.from({ length: 20 }, (_, at) => `119876543${String(at).padStart(2, "0")}`);
    await Promise.all(phones.map((phone) => me.call("POST", "/api/contacts", { name: "P", phone, listId })));
    const { body } = await me.call<{ items: ListedContact[] }>(
      "GET",
      `/api/contact-lists/${listId}/contacts`,
    );
    expect(body.items.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  test("both errors are named at their fields @spec 5.7", async () => {
    const me = await newPerson();
    expect(await me.call("POST", "/api/contacts", { name: "  ", phone: "31 9023" })).toMatchObject({
      status: 422,
      body: {
        code: "invalid_fields",
        fields: { name: "Preencha este campo.", phone: "Faltam dígitos. Use DDD e número: 31 90234-1187" },
      },
    });
    expect(await me.call("POST", "/api/contacts", { name: "Ana", phone: "" })).toMatchObject({
      body: { fields: { phone: "Preencha este campo." } },
    });
  });

  test("another account's list is like a missing one", async () => {
    const [me, other] = [await newPerson(), await newPerson()];
    const listId = await listRow(db, other.id, 1);
    const asked = (id: number) =>
      me.call("POST", "/api/contacts", { name: "Ana", phone: "11987654321", listId: id });
    const [theirs, missing] = [await asked(listId), await asked(999_999)];
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe(missing.text);
  });
});

describe("deleting a list", () => {
  test("says how many contacts went, and leaves campaigns their history @spec 7.3 @decision 25", async () => {
    const me = await newPerson();
    const listId = await listRow(db, me.id, 7, "Clientes");
    const campaignId = await campaignRow(db, me.id, { listId, status: "ended" });
    await sql`update campaign set list_name = 'Clientes' where id = ${campaignId}`.execute(db);
    expect(await me.call("DELETE", `/api/contact-lists/${listId}`)).toMatchObject({
      status: 200,
      body: { contacts: 7 },
    });
    expect(await me.call("GET", `/api/contact-lists/${listId}`)).toMatchObject({ status: 404 });
    const left = await sql`select from membership where list_id = ${listId}`.execute(db);
    expect(left.rows).toHaveLength(0);
    const campaign = await sql`select list_id, list_name from campaign where id = ${campaignId}`.execute(db);
    expect(campaign.rows).toEqual([{ list_id: null, list_name: "Clientes" }]);
  });
});

test("no contact is left when its account goes", async () => {
  const me = await newPerson();
  const listId = await listRow(db, me.id, 3);
  await sql`delete from account where id = ${me.id}::uuid`.execute(db);
  for (const left of [
    sql`select from membership where list_id = ${listId}`,
    sql`select from person where account_id = ${me.id}::uuid`,
    sql`select from account_people where account_id = ${me.id}::uuid`,
  ])
    expect((await left.execute(db)).rows).toEqual([]);
});

describe("export", () => {
  test("C41 C45 cells cannot run, phones are text, the file imports as the same list @spec 2.52 @decision 30", async () => {
    const me = await newPerson();
    const text =
      'Nome;Telefone\n"=HYPERLINK(""http://x"")";11987654321\n+1 Ana;11987654322\n"Silva; ""Zé""";+351912345678\n;1133334444\n';
    const report = await me.import(text, { name: 'Lista "A"/B\r\nX' });
    expect(report).toMatchObject({ imported: 4, listName: 'Lista "A"/B X' });
    const file = await me.call("GET", `/api/contact-lists/${report.listId}/export`);
    expect(file.text).toBe(
      '\ufeffNome;Telefone\r\n"\'=HYPERLINK(""http://x"")";55 11 98765-4321\r\n\'+1 Ana;55 11 98765-4322\r\n' +
        '"Silva; ""Zé""";00 351 912345678\r\n;55 11 3333-4444\r\n',
    );
    const again = await me.import(file.text);
    const list = (id: number | null) =>
      me.call<{ items: ListedContact[] }>("GET", `/api/contact-lists/${id}/contacts`);
    expect((await list(again.listId)).body).toEqual((await list(report.listId)).body);
  });

  test("C46 its name is the id and the time of creation, whatever the list is called @spec 2.52 @decision 30", async () => {
    const me = await newPerson();
    const id = await listRow(db, me.id, 1, 'a"\r\nSet-Cookie: x/');
    await sql`update contact_list set created_at = '2026-11-20T12:34:56Z' where id = ${id}`.execute(db);
    const { headers } = await me.call("GET", `/api/contact-lists/${id}/export`);
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="${id}_20261120-093456_contatos.csv"`,
    );
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("more contacts than a page of the reading @decision 24", async () => {
    const me = await newPerson();
    const id = await listRow(db, me.id, 90_000);
    const { text } = await me.call("GET", `/api/contact-lists/${id}/export`);
    expect(text.trimEnd().split("\r\n")).toHaveLength(90_001);
  });
});

test("/Modelo.csv is open to everybody and imports as it is @decision 30", async () => {
  const response = await contacts.app.hono.request("/Modelo.csv");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="Modelo.csv"');
  const me = await newPerson();
  const report = await me.import(new Uint8Array(await response.arrayBuffer()));
  expect(report).toMatchObject({ state: "done", imported: 2, refused: 0, ninthAdded: 0 });
});
