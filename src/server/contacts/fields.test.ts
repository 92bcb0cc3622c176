import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactField } from "../../contract/contact-fields.ts";
import type { Person, PersonDetails } from "../../contract/people.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

async function newAccount() {
  const me = contacts.as(await accountRow(db));
  const add = (label: string, kind = "text") =>
    me.call<ContactField>("POST", "/api/contact-fields", { label, kind });
  const all = async () => (await me.call<{ items: ContactField[] }>("GET", "/api/contact-fields")).body.items;
  return { ...me, add, all };
}

test("fields stand in the order in which they were made, each with a key of its own", async () => {
  const me = await newAccount();
  expect(await me.add(" Última vacina ", "date")).toMatchObject({
    status: 201,
    body: { key: "ultima_vacina", label: "Última vacina", kind: "date" },
  });
  expect((await me.add("Ultima  vacina!")).body.key).toBe("ultima_vacina_2");
  expect((await me.add("Ativo", "boolean")).body.key).toBe("ativo");
  expect((await me.all()).map(({ key }) => key)).toEqual(["ultima_vacina", "ultima_vacina_2", "ativo"]);
  expect(await (await newAccount()).all()).toEqual([]);
});

test.each([
  ["Nome", "Este nome já é do próprio contato. Escolha outro."],
  ["Sobrenome", "Este nome já é do próprio contato. Escolha outro."],
  ["primeiro nome", "Este nome já é do próprio contato. Escolha outro."],
  ["PET", "Já existe um campo com este nome."],
  ["  ", "Preencha este campo."],
  ["a".repeat(61), "Use no máximo 60 caracteres."],
  ["a\0", "O texto contém caracteres inválidos."],
])("a label %j is refused with its reason, new or changed", async (label, reason) => {
  const me = await newAccount();
  await me.add("Pet");
  const { body: other } = await me.add("Outro");
  for (const answer of [
    await me.add(label),
    await me.call("PATCH", `/api/contact-fields/${other.id}`, { label }),
  ])
    expect([answer.status, answer.body]).toMatchObject([422, { fields: { label: reason } }]);
  expect((await me.all()).map((field) => field.label)).toEqual(["Pet", "Outro"]);
});

test("a renamed field keeps its key and its values; its own label in capitals is no other's", async () => {
  const me = await newAccount();
  const { body: pet } = await me.add("Pet");
  const { body: ana } = await me.call<PersonDetails>("POST", "/api/people", {
    name: "Ana",
    phone: "31987654321",
    fields: { pet: "Rex" },
  });
  const renamed = await me.call("PATCH", `/api/contact-fields/${pet.id}`, { label: "PET" });
  expect(renamed.body).toEqual({ ...pet, label: "PET" });
  expect((await me.call("GET", `/api/people/${ana.id}`)).body).toMatchObject({ fields: { pet: "Rex" } });
});

test("a removed field takes its values from all people, and it is on record", async () => {
  const me = await newAccount();
  const { body: pet } = await me.add("Pet");
  await me.add("Peso", "number");
  const people: PersonDetails[] = [];
  for (const [at, fields] of [{ pet: "Rex", peso: 4 }, { pet: "Bob" }, { peso: 5 }].entries())
    people.push(
      (await me.call<PersonDetails>("POST", "/api/people", { name: "P", phone: `3198765432${at}`, fields }))
        .body,
    );
  expect((await me.call("DELETE", `/api/contact-fields/${pet.id}`)).body).toEqual({ people: 2 });
  const left = await Promise.all(
    people.map(async ({ id }) => (await me.call<PersonDetails>("GET", `/api/people/${id}`)).body.fields),
  );
  expect(left).toEqual([{ peso: 4 }, {}, { peso: 5 }]);
  expect((await me.call("DELETE", `/api/contact-fields/${pet.id}`)).status).toBe(404);
  const { rows } = await sql`select subject, details from audit_event where kind = 'field_removed'`.execute(
    db,
  );
  expect(rows).toEqual([{ subject: "Pet", details: { contacts: 2 } }]);
});

test("the fifty-first field is refused, also of those that are made at once", async () => {
  const me = await newAccount();
  const answers = await Promise.all(Array.from({ length: 52 }, (_, at) => me.add(`Campo ${at}`)));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => [status, body])).toMatchObject([
    [409, { code: "too_many_fields", error: "A conta já tem 50 campos. Remova um que não usa mais." }],
    [409, {}],
  ]);
  expect(await me.all()).toHaveLength(50);
});

test("people are exported with their fields as columns, safe in a spreadsheet", async () => {
  const me = await newAccount();
  await me.add("=Cor; ou não");
  await me.add("Peso", "number");
  await me.add("Ativo", "boolean");
  await me.add("Nascimento", "date");
  await me.add("Constructor");
  const add = (body: object) => me.call<PersonDetails>("POST", "/api/people", body);
  const fields = { cor_ou_nao: '=1+1;"x"', peso: -4.5, ativo: false, nascimento: "2020-02-29" };
  const { body: ana } = await add({ name: "Ana", phone: "31987654321", fields });
  await add({ name: "Bia", phone: "+351 912 345 678" });
  const header = '\ufeffNome;Telefone;"\'=Cor; ou não";Peso;Ativo;Nascimento;Constructor\r\n';
  const first = 'Ana;55 31 98765-4321;"\'=1+1;""x""";"-4,5";não;2020-02-29;\r\n';
  const second = "Bia;00 351 912345678;;;;;\r\n";
  const exported = async (query = "") => (await me.call("GET", `/api/people/export${query}`)).text;
  expect(await exported()).toBe(header + first + second);
  expect(await exported(`?ids=${ana.id},999999`)).toBe(header + first);
  expect(await exported("?search=bia")).toBe(header + second);
  expect(await exported("?search=ninguém")).toBe(header);
});

test("more people than a page are exported once each, of a list in its order", async () => {
  const me = await newAccount();
  const rows = Array.from({ length: 12_000 }, (_, at) => `P${12_000 - at};119${String(20_000_000 + at)}\n`);
  const { listId } = await me.import(`Nome;Telefone\n${rows.join("")}`);
  const names = (text: string) =>
    text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(";")[0]);
  const all = names((await me.call("GET", "/api/people/export")).text);
  expect(new Set(all).size).toBe(12_000);
  expect(all).toHaveLength(12_000);
  const { items } = (await me.call<{ items: Person[] }>("GET", "/api/people?search=P77&limit=2")).body;
  const some = await me.call(
    "GET",
    `/api/people/export?listId=${listId}&ids=${items.map(({ id }) => id).join()}`,
  );
  expect(names(some.text).toSorted()).toEqual(["P77", "P770"]);
  const listed = await me.call("GET", `/api/people/export?listId=${listId}`);
  expect(names(listed.text)).toEqual(Array.from({ length: 12_000 }, (_, at) => `P${12_000 - at}`));
  expect(listed.headers.get("content-disposition")).toMatch(/"\d+_\d{8}-\d{6}_contatos\.csv"/);
});

test("a field that a waiting campaign uses is not removed, and the answer names the campaign", async () => {
  const account = await accountRow(db);
  const me = contacts.as(account);
  const { body: pet } = await me.call<ContactField>("POST", "/api/contact-fields", {
    label: "Pet",
    kind: "text",
  });
  const { body: person } = await me.call<PersonDetails>("POST", "/api/people", {
    name: "P",
    phone: "31987654321",
    fields: { pet: "Rex" },
  });
  await sql`insert into campaign (account_id, name, text, variables, status, interval_seconds, jitter_seconds, zone, nonce, scheduled_at, scheduled_local)
    values (${account}::uuid, 'Natal', '{pet}', '[{"key": "pet", "fallback": null}]', 'scheduled', 0, 0, 'America/Sao_Paulo', 77, now(), '2026-12-20T08:00')`.execute(
    db,
  );
  const remove = () => me.call("DELETE", `/api/contact-fields/${pet.id}`);
  expect(await remove()).toMatchObject({
    status: 409,
    body: {
      code: "field_in_use",
      error:
        "A campanha «Natal» ainda vai usar este campo. Cancele a campanha ou tire o campo do texto dela.",
    },
  });
  expect((await me.call("GET", `/api/people/${person.id}`)).body).toMatchObject({ fields: { pet: "Rex" } });
  await sql`update campaign set status = 'cancelled' where account_id = ${account}::uuid`.execute(db);
  expect(await remove()).toMatchObject({ status: 200, body: { people: 1 } });
});
