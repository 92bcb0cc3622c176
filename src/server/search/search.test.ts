import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { accountRow, campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { composedApp } from "../../../tests/support/composed-app.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { mistralForTests } from "../../../tests/support/mistral.ts";
import { placePeople } from "../../../tests/support/people-rows.ts";
import type { Found } from "../../contract/search.ts";

const database = await testDatabase();
const { db } = database;
const { app, signUp } = await composedApp(database, await mistralForTests());
const ana = await signUp("ana");
const bruno = await signUp("bruno");

async function search(person: { cookie: string }, q: string) {
  const answer = await app.hono.request(`/api/search?${new URLSearchParams({ q })}`, {
    headers: { cookie: person.cookie },
  });
  return { status: answer.status, body: (await answer.json()) as Found & { code?: string; error?: string } };
}
const found = async (q: string, person = ana) => {
  const { status, body } = await search(person, q);
  expect(status).toBe(200);
  return {
    campaigns: body.campaigns.map(({ name }) => name),
    lists: body.lists.map(({ name }) => name),
    contacts: body.contacts.map(({ name }) => name),
    templates: body.templates.map(({ name }) => name),
  };
};
const NOTHING = { campaigns: [], lists: [], contacts: [], templates: [] };

async function people(listId: number, all: readonly (readonly [name: string, phone: number])[]) {
  for (const [seq, [name, phone]] of all.entries())
    await placePeople(
      db,
      listId,
      sql`select ${seq}::int as seq, ${phone}::bigint as phone, ${name}::text as name`,
    );
  await sql`update contact_list set contacts = ${all.length} where id = ${listId}`.execute(db);
}

let older: number;
let newer: number;
beforeAll(async () => {
  older = await listRow(db, ana.id, 0, "Clientes São João");
  newer = await listRow(db, ana.id, 0, "VIP 100% _fiel_ \\o/");
  await people(older, [
    ["João Conceição", 5_531_987_654_321],
    ["Bia", 5_531_900_000_002],
  ]);
  await people(newer, [
    ["João da Conceição", 5_531_987_654_321],
    ["100% Ótica", 5_531_900_000_003],
    ["Ana_Maria", 5_531_900_000_004],
    ["Zé \\o/", 5_531_900_000_005],
  ]);
  for (const [name, status] of [
    ["Volta às aulas", "draft"],
    ["Promoção 50% de São João", "ended"],
  ] as const) {
    const id = await campaignRow(
      db,
      ana.id,
      status === "draft" ? { status } : { status, people: { sent: 2 } },
    );
    await sql`update campaign set name = ${name} where id = ${id}`.execute(db);
  }
});

test("one word finds campaigns, lists and people, whatever their case and accents", async () => {
  expect(await found("  sao JOAO ")).toEqual({
    campaigns: ["Promoção 50% de São João"],
    lists: ["Clientes São João"],
    contacts: [],
    templates: [],
  });
  const { body } = await search(ana, "joao");
  expect(body.campaigns).toMatchObject([{ status: "completed" }]);
  expect(body.lists).toEqual([{ id: older, name: "Clientes São João", count: 2 }]);
  expect(await found("aulas")).toMatchObject({ campaigns: ["Volta às aulas"] });
});

test("a person in two lists comes once, in the newer one; a number is found as it is written", async () => {
  for (const words of ["conceicao", "(31) 98765-4321"]) {
    const { body } = await search(ana, words);
    expect(body.contacts).toEqual([
      {
        id: expect.any(Number),
        name: "João da Conceição",
        phone: "5531987654321",
        listId: newer,
        listName: "VIP 100% _fiel_ \\o/",
      },
    ]);
  }
});

test("an opted-out person is marked so", async () => {
  await sql`insert into opt_out (account_id, phone, source) values (${ana.id}::uuid, 5531900000002, 'manual')`.execute(
    db,
  );
  const { body } = await search(ana, "bia");
  expect(body.contacts).toMatchObject([{ name: "Bia", optedOut: true }]);
});

test.each([
  ["%", ["Promoção 50% de São João"], ["VIP 100% _fiel_ \\o/"], ["100% Ótica"]],
  ["_", [], ["VIP 100% _fiel_ \\o/"], ["Ana_Maria"]],
  ["\\", [], ["VIP 100% _fiel_ \\o/"], ["Zé \\o/"]],
  ["100%", [], ["VIP 100% _fiel_ \\o/"], ["100% Ótica"]],
  [".*", [], [], []],
  ["a_m", [], [], ["Ana_Maria"]],
  ["(", [], [], []],
  ["' or 1=1 --", [], [], []],
])("«%s» means itself", async (words, campaigns, lists, contacts) => {
  expect(await found(words)).toEqual({ campaigns, lists, contacts, templates: [] });
});

test("at most five of each, the newest", async () => {
  const person = await signUp("carla");
  for (let n = 1; n <= 7; n++) {
    const list = await listRow(db, person.id, 0, `Feira ${n}`);
    await people(list, [[`Feirante ${n}`, 5_531_900_000_100 + n]]);
    const id = await campaignRow(db, person.id, { status: "draft" });
    await sql`update campaign set name = ${`Feirão ${n}`} where id = ${id}`.execute(db);
  }
  const five = (name: string) => [7, 6, 5, 4, 3].map((n) => `${name} ${n}`);
  expect(await found("feir", person)).toEqual({
    campaigns: five("Feirão"),
    lists: five("Feira"),
    contacts: five("Feirante"),
    templates: [],
  });
});

test("a template is found by its name or text, by its own account alone", async () => {
  for (const [name, text] of [
    ["Boas-vindas", "Chegou a sua óptica"],
    ["Óptica", "Oi"],
  ])
    await sql`insert into message_template (account_id, name, text)
      values (${ana.id}::uuid, ${name}, ${text})`.execute(db);
  expect((await found("OPTICA")).templates).toEqual(["Boas-vindas", "Óptica"]);
  expect(await found("optica", bruno)).toEqual(NOTHING);
});

test("a person in thirty lists does not hide the others", async () => {
  const person = await signUp("dora");
  await people(await listRow(db, person.id, 0, "Primeira"), [["Rita Lima", 5_531_900_000_201]]);
  for (let n = 0; n < 30; n++)
    await people(await listRow(db, person.id, 0, `Lista ${n}`), [["Rita Sá", 5_531_900_000_200]]);
  expect((await found("rita", person)).contacts).toEqual(["Rita Sá", "Rita Lima"]);
});

test("another account finds nothing of it, nor does a stranger", async () => {
  for (const words of ["joao", "conceicao", "98765", "%", "vip"])
    expect(await found(words, bruno)).toEqual(NOTHING);
  const foreign = await accountRow(db);
  await people(await listRow(db, foreign, 0, "Alheia"), [["Ninguém", 5_531_900_000_900]]);
  expect(await found("ningu")).toEqual(NOTHING);
  expect((await app.hono.request("/api/search?q=joao")).status).toBe(401);
});

test("nothing typed finds nothing; what cannot be searched for is refused in words", async () => {
  expect(await found("")).toEqual(NOTHING);
  expect(await found("   ")).toEqual(NOTHING);
  const wrong: [string, number, string][] = [
    ["?q=%00", 400, "invalid_request"],
    [`?q=${"a".repeat(201)}`, 422, "invalid_fields"],
    ["", 422, "invalid_fields"],
    ["?q=a&q=b", 400, "invalid_request"],
    ["?q=a&conta=1", 422, "invalid_fields"],
  ];
  for (const [query, status, code] of wrong) {
    const answer = await app.hono.request(`/api/search${query}`, { headers: { cookie: ana.cookie } });
    const body = (await answer.json()) as { code: string; error: string };
    expect([query.slice(0, 9), answer.status, body.code]).toEqual([query.slice(0, 9), status, code]);
    expect(body.error).toMatch(/\S/);
  }
  expect((await search(ana, "😀".repeat(100))).status).toBe(200);
});

test("a key that may only read may search", async () => {
  const headers = { cookie: ana.cookie, "content-type": "application/json" };
  const made = await app.hono.request("/api/settings/api-keys", {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "Leitura", scope: "read" }),
  });
  const { key } = (await made.json()) as { key: string };
  const answer = await app.hono.request("/api/search?q=aulas", {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ campaigns: [{ name: "Volta às aulas", status: "draft" }] });
});

test("a person who is in no list is found with their number, after those of lists", async () => {
  const person = await signUp("elsa");
  await people(await listRow(db, person.id, 0, "Alunos"), [["Nina Prado", 5_531_900_000_301]]);
  const { rows } = await sql<{ id: number }>`insert into person (account_id, phone, name, origin)
    values (${person.id}::uuid, 5531900000302, 'Nina Sousa', 'hand') returning id`.execute(db);
  const { body } = await search(person, "nina");
  expect(body.contacts.map(({ name }) => name)).toEqual(["Nina Prado", "Nina Sousa"]);
  expect((await search(person, "900000302")).body.contacts).toEqual([
    { id: rows[0]?.id, name: "Nina Sousa", phone: "5531900000302", listId: null, listName: null },
  ]);
});
