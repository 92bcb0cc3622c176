import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, imageRow } from "../../../tests/support/campaign-rows.ts";
import { composedApp } from "../../../tests/support/composed-app.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { mistralForTests } from "../../../tests/support/mistral.ts";
import type { MessageTemplate } from "../../contract/library.ts";
import { applyMigrations, readMigrations } from "../db/migrate.ts";

const database = await testDatabase();
const { app, signUp } = await composedApp(database, await mistralForTests());
const ana = await signUp("ana");
const bia = await signUp("bia");

type Answer = MessageTemplate & { items: MessageTemplate[]; found: number; fields: unknown; code: string };

async function call(method: string, path: string, body?: unknown, person = ana) {
  const answer = await app.hono.request(`/api/message-templates${path}`, {
    method,
    headers: { cookie: person.cookie, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

async function keep(name: string, text: string, person = ana): Promise<MessageTemplate> {
  const { status, body } = await call("POST", "", { name, text }, person);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const namesOf = async (query = "", person = ana) => {
  const { body } = await call("GET", query, undefined, person);
  return [body.items.map(({ name }) => name), body.found];
};

test("texts are kept by name, changed, and removed with a line in the activity", async () => {
  const made = await keep("  Volta às aulas ", "Oi, {nome}!\r\nTudo bem?");
  expect(made).toMatchObject({ name: "Volta às aulas", text: "Oi, {nome}!\nTudo bem?" });
  const changed = await call("PUT", `/${made.id}`, { name: "VOLTA às aulas", text: "Oi!" });
  expect([changed.status, changed.body.name, changed.body.text]).toEqual([200, "VOLTA às aulas", "Oi!"]);
  expect(await namesOf()).toEqual([["VOLTA às aulas"], 1]);
  expect((await call("DELETE", `/${made.id}`)).body).toEqual({ success: true });
  expect(await namesOf()).toEqual([[], 0]);
  for (const [method, body] of [["PUT", { name: "x", text: "x" }], ["DELETE"]] as const)
    expect((await call(method, `/${made.id}`, body)).status).toBe(404);
  const { rows } = await sql`select kind, subject from audit_event
    where account_id = ${ana.id}::uuid and kind = 'template_removed'`.execute(database.db);
  expect(rows).toEqual([{ kind: "template_removed", subject: "VOLTA às aulas" }]);
});

test("a search looks in names and texts, each word anywhere; pages go by name", async () => {
  const person = await signUp("caio");
  for (const [name, text] of [
    ["boleto", "Segue o código de barras"],
    ["Ávila", "Endereço: rua B"],
    ["Consulta", "100% confirmada, até _amanhã_"],
  ] as const)
    await keep(name, text, person);
  expect(await namesOf("?search=CODIGO%20bol", person)).toEqual([["boleto"], 1]);
  expect(await namesOf("?search=avila", person)).toEqual([["Ávila"], 1]);
  for (const sign of ["100%25", "_"])
    expect(await namesOf(`?search=${sign}`, person)).toEqual([["Consulta"], 1]);
  expect(await namesOf("?search=.", person)).toEqual([[], 0]);
  expect(await namesOf("?limit=2", person)).toEqual([["boleto", "Consulta"], 3]);
  expect(await namesOf("?limit=2&skip=2", person)).toEqual([["Ávila"], 3]);
  expect((await call("GET", "?limit=101")).status).toBe(422);
});

test.each([
  [{ name: " ", text: "Oi" }, { name: /^/ }],
  [{ name: "a".repeat(61), text: "Oi" }, { name: /60/ }],
  [{ name: "Oi", text: "\u200b\n" }, { text: /^/ }],
  [{ name: "Oi", text: "a".repeat(4_097) }, { text: /4\.096/ }],
  [{ name: "a\u0000", text: "Oi\u0000" }, { name: /^/ }],
])("%j is refused at its field", async (body, fields) => {
  const answer = await call("POST", "", body);
  expect([answer.status, Object.keys(answer.body.fields as object)]).toEqual([422, Object.keys(fields)]);
  for (const [field, words] of Object.entries(fields))
    expect(answer.body.fields).toMatchObject({ [field]: expect.stringMatching(words) });
});

test("a name is used once, whatever its case, also by two at once; another account may have it", async () => {
  const person = await signUp("davi");
  const both = await Promise.all(
    ["Boleto", "BOLETO"].map((name) => call("POST", "", { name, text: "Segue" }, person)),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 422]);
  await keep("Boleto", "Segue", bia);
  const other = await keep("Outra", "Oi", person);
  const taken = await call("PUT", `/${other.id}`, { name: "bolEto", text: "Oi" }, person);
  expect([taken.status, Object.keys(taken.body.fields as object)]).toEqual([422, ["name"]]);
});

test("the same submission makes one template", async () => {
  const person = await signUp("elis");
  const body = { name: "Retorno", text: "Oi", idempotencyKey: "k1" };
  const [first, again] = [await call("POST", "", body, person), await call("POST", "", body, person)];
  expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
  expect(await namesOf("", person)).toEqual([["Retorno"], 1]);
});

test("a template carries a file, alone or with a caption; a change that does not name it leaves it", async () => {
  const person = await signUp("heli");
  const attachmentId = await imageRow(database.db, person.id);
  const file = { id: attachmentId, kind: "image" };
  const made = await call("POST", "", { name: "Preços", text: " ", attachmentId }, person);
  expect(made).toMatchObject({ status: 201, body: { text: "", attachment: file } });
  const path = `/${made.body.id}`;
  const named = await call("PUT", path, { name: "Tabela", text: "Segue, {nome}" }, person);
  expect(named.body).toMatchObject({ name: "Tabela", text: "Segue, {nome}", attachment: file });
  expect((await call("POST", `${path}/fill`, { phone: null }, person)).body.attachment).toMatchObject(file);
  const long = await call("PUT", path, { name: "Tabela", text: "a".repeat(1_025) }, person);
  expect(long.body.fields).toEqual({ text: expect.stringMatching(/1\.024/) });
  const foreign = await call(
    "PUT",
    path,
    { name: "x", text: "x", attachmentId: await imageRow(database.db, bia.id) },
    person,
  );
  expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
  const bare = await call("PUT", path, { name: "Tabela", text: "", attachmentId: null }, person);
  expect(Object.keys(bare.body.fields as object)).toEqual(["text"]);
  await call("PUT", path, { name: "Tabela", text: "Sem arquivo", attachmentId: null }, person);
  expect((await call("GET", "", undefined, person)).body.items).toMatchObject([{ attachment: null }]);
});

test("a sound takes no text, and a file is found by its name", async () => {
  const person = await signUp("ivo");
  const of = async (kind: string, name: string) => {
    const id = await imageRow(database.db, person.id);
    await sql`update attachment set kind = ${kind}, name = ${name} where id = ${id}`.execute(database.db);
    return id;
  };
  const voice = { name: "Recado", text: "Oi", attachmentId: await of("voice", "") };
  expect(Object.keys((await call("POST", "", voice, person)).body.fields as object)).toEqual(["text"]);
  expect((await call("POST", "", { ...voice, text: "" }, person)).status).toBe(201);
  const attachmentId = await of("document", "Tabela de preços.pdf");
  await call("POST", "", { name: "Valores", text: "Segue", attachmentId }, person);
  expect(await namesOf("?search=precos.pdf%20segue", person)).toEqual([["Valores"], 1]);
});

test("templates kept before files stay as they are", async () => {
  const old = await testDatabase({ empty: true });
  const migrations = readMigrations();
  const apply = (from: string, to: string) =>
    old.db.transaction().execute((tx) =>
      applyMigrations(
        tx,
        migrations.filter(({ name }) => name >= from && name < to),
      ),
    );
  await apply("", "0120");
  const account = await accountRow(old.db);
  await sql`insert into message_template (account_id, name, text) values (${account}::uuid, 'Boleto', 'Segue')`.execute(
    old.db,
  );
  await apply("0120", "9");
  const { rows } = await sql`select name, text, attachment_id from message_template`.execute(old.db);
  expect(rows).toEqual([{ name: "Boleto", text: "Segue", attachment_id: null }]);
});

test("an account keeps at most as many as its limit; what is there may still be changed", async () => {
  const person = await signUp("fabi");
  const kept = await keep("Uma", "Oi", person);
  await sql`insert into account_limit (account_id, name, value) values (${person.id}::uuid, 'templates', 1)`.execute(
    database.db,
  );
  const full = await call("POST", "", { name: "Outra", text: "Oi" }, person);
  expect(full).toMatchObject({ status: 409, body: { code: "limit_reached" } });
  expect((await call("PUT", `/${kept.id}`, { name: "Uma", text: "Olá" }, person)).status).toBe(200);
});

test("another account neither reads nor changes it", async () => {
  const mine = await keep("Só minha", "Segredo");
  expect(await namesOf("?search=segredo", bia)).toEqual([[], 0]);
  for (const [method, body] of [["PUT", { name: "x", text: "x" }], ["DELETE"]] as const)
    expect((await call(method, `/${mine.id}`, body, bia)).status).toBe(404);
  expect(await namesOf("?search=segredo")).toEqual([["Só minha"], 1]);
});

test("a text is filled for one person as a campaign writes it; what the person lacks stays and is named", async () => {
  const person = await signUp("gabi");
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    values (${person.id}::uuid, 'dia', 'Dia', 'date', 0), (${person.id}::uuid, 'pet', 'Pet', 'text', 1)`.execute(
    database.db,
  );
  await sql`insert into person (account_id, phone, name, fields, origin)
    values (${person.id}::uuid, 5531987654321, 'Dr. Rui Sá Lima', '{"dia": "2026-12-20"}', 'hand')`.execute(
    database.db,
  );
  const text = "{primeiro_nome} {sobrenome}, {Dia}: {pet}, {outro}";
  const fill = async (phone: string | null, by = person) => {
    const { id } = await keep(`Exame de ${phone}`, text, by);
    return (await call("POST", `/${id}/fill`, { phone }, by)).body;
  };
  expect(await fill("5531987654321")).toEqual({
    text: "Dr. Rui Sá Lima, 20/12/2026: {pet}, {outro}",
    attachment: null,
    missing: ["pet", "outro"],
  });
  const nothing = { text, attachment: null, missing: ["primeiro_nome", "sobrenome", "dia", "pet", "outro"] };
  for (const phone of [null, "5531900000000", "(31) 9"]) expect(await fill(phone)).toMatchObject({ text });
  expect(await fill("5531987654321", bia)).toEqual(nothing);
});
