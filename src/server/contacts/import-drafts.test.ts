import fs from "node:fs";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { sheetXml, workbookParts, xlsx, zip } from "../../../tests/support/xlsx.ts";
import type { ContactListCard, ListedContact } from "../../contract/contacts.ts";
import type { ColumnMapping, ImportDraft } from "../../contract/import-drafts.ts";
import type { Person } from "../../contract/people.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);
const at = "/api/contact-import-drafts";

const PET_SHOP =
  "Código;Nome;Responsável;Fone;Dt. vacina;Peso\n" +
  "1;Rex;Ana Beatriz Rocha;(31) 98811-7701;12/11/2025;4,5\n" +
  "2;Mel;Marcos Prado;31 98811-7702;ontem;1.200\n" +
  "3;Thor;Sílvia Antunes;123;28/08/2025;7\n";
const TUTORS: ColumnMapping[] = [
  { role: "ignore" },
  { role: "new_field", label: "Pet", kind: "text" },
  { role: "name" },
  { role: "phone", rank: 1 },
  { role: "new_field", label: "Última vacina", kind: "date" },
  { role: "new_field", label: "Peso", kind: "number" },
];

async function someone() {
  const account = await accountRow(db);
  const me = contacts.as(account);
  const draft = async (body: string | Buffer, query = "") => {
    const answer = await me.raw<ImportDraft>(`${at}?fileName=clientes.csv${query}`, body, "text/csv");
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const read = async (id: number, body: object) =>
    (await me.call<ImportDraft>("POST", `${at}/${id}/read`, body)).body;
  const start = (it: ImportDraft, body: object = {}) => {
    const { encoding, separator, headerRow, everyCell } = it;
    const columns = it.columns.map(({ mapping }) => mapping);
    return me.call<{ id: number; code: string; fields: object }>("POST", `${at}/${it.id}/start`, {
      encoding,
      separator,
      headerRow,
      everyCell,
      columns,
      listName: "Clientes",
      ...body,
    });
  };
  const done = async (it: ImportDraft, body: object = {}) => {
    const answer = await start(it, body);
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
    return me.report(answer.body.id);
  };
  const people = async () => {
    const { body } = await me.call<{ items: Person[] }>("GET", "/api/people?sort=created");
    return body.items.map(({ name, phone, fields }) => [name, phone.slice(-4), fields]);
  };
  const listed = async (listId: number | null) => {
    const { body } = await me.call<{ items: ListedContact[] }>(
      "GET",
      `/api/contact-lists/${listId}/contacts`,
    );
    return body.items.map(({ phone }) => phone.slice(-4));
  };
  const list = async (name: string) =>
    (await me.call<ContactListCard>("POST", "/api/contact-lists", { name })).body.id;
  return { account, me, draft, read, start, done, people, listed, list };
}

const spooled = () => fs.readdirSync(`${contacts.dataFolder}/imports`).filter((name) => name !== "folder-id");

describe("what was understood of a file", () => {
  test("is shown before anything is imported, and two names are asked about", async () => {
    const it = await someone();
    const draft = await it.draft(PET_SHOP);
    expect(draft).toMatchObject({ fileName: "clientes.csv", format: "text", separator: ";", headerRow: 1 });
    expect(draft.questions).toEqual([{ code: "several_names", columns: [1, 2], text: null }]);
    expect(draft.columns.map(({ mapping }) => mapping.role)).toEqual([
      "ignore",
      "name",
      "ignore",
      "phone",
      "ignore",
      "ignore",
    ]);
    expect(draft.columns[4]?.suggestion).toEqual({ label: "Dt. vacina", kind: "text" });
    expect(draft.columns[5]?.suggestion).toEqual({ label: "Peso", kind: "number" });
    expect(draft.rows.map(({ row, outcome, name }) => [row, outcome, name])).toEqual([
      [2, "imported", "Rex"],
      [3, "imported", "Mel"],
      [4, "refused", "Thor"],
    ]);
    expect(draft.rows[2]?.reason).toEqual({ code: "phone_too_short", text: expect.any(String) });
    expect(await it.people()).toEqual([]);
  });

  test("follows the choices of columns, header and separator", async () => {
    const it = await someone();
    const { id } = await it.draft(PET_SHOP);
    const chosen = await it.read(id, { columns: TUTORS });
    expect(chosen.questions).toEqual([]);
    expect(chosen.rows.map(({ name }) => name)).toEqual([
      "Ana Beatriz Rocha",
      "Marcos Prado",
      "Sílvia Antunes",
    ]);
    expect(chosen.rows[0]?.fields).toEqual({ Pet: "Rex", "Última vacina": "2025-11-12", Peso: 4.5 });
    expect(chosen.rows[1]).toMatchObject({ fields: { Pet: "Mel", Peso: 1200 }, unread: [4] });
    const headless = await it.read(id, { headerRow: null, columns: TUTORS });
    expect(headless.rows[0]).toMatchObject({ row: 1, outcome: "refused", name: "Responsável" });
    expect((await it.read(id, { headerRow: 2 })).rows[0]?.row).toBe(3);
    expect((await it.read(id, { separator: "," })).columns).toHaveLength(1);
    const without = await it.read(id, { columns: [] });
    expect(without.questions).toMatchObject([{ code: "import_no_phone_column", text: expect.any(String) }]);
  });

  test.each([
    [
      "a workbook",
      xlsx([
        ["Nome", "Telefone"],
        ["Ana", "31988117701"],
      ]),
      "",
    ],
    ["vCards", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana\nTEL:31988117701\nEND:VCARD\n", ""],
    ["JSON", '[{"Nome":"Ana","Telefone":31988117701},7]', "&json=true"],
    ["pasted cells", "Nome\tTelefone\nAna\t31988117701\n", ""],
  ])("is shown of %s", async (_, body, query) => {
    const it = await someone();
    const draft = await it.draft(body, query);
    const row = query === "" ? 2 : 1;
    expect(draft.rows[0]).toMatchObject({ row, outcome: "imported", name: "Ana", phone: "5531988117701" });
    expect((await it.done(draft)).imported).toBe(1);
    const { rows } = await sql`select origin_row from person where account_id = ${it.account}::uuid`.execute(
      db,
    );
    expect(rows).toEqual([{ origin_row: row }]);
    expect(await it.people()).toEqual([["Ana", "7701", {}]]);
  });

  test("of two sheets with people one has to be chosen, of an unreadable file nothing stays", async () => {
    const it = await someone();
    const rows = [
      ["Nome", "Telefone"],
      ["Ana", "31988117701"],
    ];
    const two = zip(workbookParts({ sheets: { A: sheetXml(rows), B: sheetXml(rows) } }));
    const before = spooled().length;
    const refused = await it.me.raw(at, two, "text/csv");
    expect(refused).toMatchObject({ status: 422, body: { code: "import_several_sheets" } });
    expect(await it.me.raw(at, "%PDF-1.7", "text/csv")).toMatchObject({ status: 415 });
    expect(await it.me.raw(`${at}?json=true`, "{}", "text/csv")).toMatchObject({ status: 422 });
    expect(spooled()).toHaveLength(before);
  });

  test("waits at most with the newest five, and can be thrown away", async () => {
    const it = await someone();
    const before = spooled().length;
    const drafts: ImportDraft[] = [];
    for (let n = 0; n < 6; n++) drafts.push(await it.draft(PET_SHOP));
    expect(spooled()).toHaveLength(before + 5);
    const [oldest, , last] = [drafts[0]?.id, 0, drafts[5]?.id];
    expect((await it.me.call("POST", `${at}/${oldest}/read`, {})).status).toBe(404);
    expect((await it.me.call("DELETE", `${at}/${last}`)).status).toBe(200);
    expect((await it.me.call("DELETE", `${at}/${last}`)).status).toBe(404);
    expect(spooled()).toHaveLength(before + 4);
  });
});

describe("an import as a person decided it", () => {
  test("IM a pet shop's file greets the tutors, and what no field can hold is reported", async () => {
    const it = await someone();
    const { id } = await it.draft(PET_SHOP);
    const report = await it.done(await it.read(id, { columns: TUTORS }), {
      basis: "customer",
      basisNote: "Ficha de 2025",
    });
    expect(report).toMatchObject({
      imported: 2,
      refused: 1,
      listName: "Clientes",
      leftOut: {
        columns: ["Código"],
        unread: [{ column: "Dt. vacina", count: 1, row: 3, text: "ontem" }],
      },
    });
    expect(await it.people()).toEqual([
      ["Ana Beatriz Rocha", "7701", { pet: "Rex", ultima_vacina: "2025-11-12", peso: 4.5 }],
      ["Marcos Prado", "7702", { pet: "Mel", peso: 1200 }],
    ]);
    const { rows } = await sql`select basis, basis_note from contact_import where id = ${report.id}`.execute(
      db,
    );
    expect(rows).toEqual([{ basis: "customer", basis_note: "Ficha de 2025" }]);
  });

  const known = async () => {
    const it = await someone();
    const first = await it.draft("Nome;Telefone;Cidade;Plano\nAna;31988117701;Betim;\n;31988117702;;Ouro\n");
    const columns: ColumnMapping[] = [
      { role: "name" },
      { role: "phone", rank: 1 },
      { role: "new_field", label: "Cidade", kind: "text" },
      { role: "new_field", label: "Plano", kind: "text" },
    ];
    await it.done(await it.read(first.id, { columns }));
    const again = await it.draft(
      "Nome;Telefone;Cidade;Plano\nAnita;31988117701;Ibirité;Prata\nBia;31988117702;;\n",
    );
    expect(again.columns.map(({ mapping }) => mapping.role)).toEqual(["name", "phone", "field", "field"]);
    return { ...it, again };
  };

  test.each([
    [
      "update",
      [
        ["Anita", "7701", { cidade: "Ibirité", plano: "Prata" }],
        ["Bia", "7702", { plano: "Ouro" }],
      ],
    ],
    [
      "fill",
      [
        ["Ana", "7701", { cidade: "Betim", plano: "Prata" }],
        ["Bia", "7702", { plano: "Ouro" }],
      ],
    ],
    [
      "leave",
      [
        ["Ana", "7701", { cidade: "Betim" }],
        ["", "7702", { plano: "Ouro" }],
      ],
    ],
  ])("of people already known: %s", async (choice, expected) => {
    const it = await known();
    const report = await it.done(it.again, { known: choice, listName: "Segunda" });
    expect(await it.people()).toEqual(expected);
    expect(await it.listed(report.listId)).toEqual(["7701", "7702"]);
  });

  test("people join existing lists, at their end and once, with a new list or without", async () => {
    const it = await someone();
    const [a, b] = [await it.list("A"), await it.list("B")];
    await it.me.call("POST", "/api/contacts", { name: "Bia", phone: "31988117702", listId: a });
    const table = "Nome;Telefone\nAna;31988117701\nBia;31988117702\n";
    const joined = await it.done(await it.draft(table), { listName: "", listIds: [a, b, a] });
    expect(joined).toMatchObject({ listId: a, listName: "A", imported: 2 });
    expect([await it.listed(a), await it.listed(b)]).toEqual([
      ["7702", "7701"],
      ["7701", "7702"],
    ]);
    await it.done(await it.draft(table), { listName: "C", listIds: [a] });
    const { body } = await it.me.call<{ items: ContactListCard[] }>("GET", "/api/contact-lists");
    expect(body.items.map(({ name, count }) => [name, count])).toEqual([
      ["C", 2],
      ["B", 2],
      ["A", 2],
    ]);
  });

  test("what cannot be followed is refused with its code, and the file stays", async () => {
    const it = await someone();
    const draft = await it.draft(PET_SHOP);
    const refused = async (body: object) => {
      const { status, body: answer } = await it.start(draft, body);
      return [status, answer.code, ...Object.keys(answer.fields ?? {})];
    };
    const twice: ColumnMapping[] = TUTORS.with(5, { role: "new_field", label: "pet", kind: "text" });
    expect(await refused({ listName: " " })).toEqual([422, "list_name_required"]);
    expect(await refused({ listIds: [999_999] })).toEqual([409, "import_list_gone"]);
    expect(await refused({ columns: [{ role: "name" }] })).toEqual([422, "import_no_phone_column"]);
    expect(await refused({ columns: twice })).toEqual([422, "invalid_fields", "columns.5"]);
    expect(await refused({ columns: TUTORS.with(5, { role: "field", field: "nada" }) })).toEqual([
      422,
      "invalid_fields",
      "columns.5",
    ]);
    expect(await refused({ basisNote: "x".repeat(201) })).toEqual([422, "invalid_fields", "basisNote"]);
    const { body } = await it.me.call<{ items: object[] }>("GET", "/api/contact-fields");
    expect(body.items).toEqual([]);
    expect((await it.done(draft)).imported).toBe(2);
  });

  test("the same start with the same key is one import; another account's file is none", async () => {
    const it = await someone();
    const draft = await it.draft(PET_SHOP);
    const first = await it.start(draft, { idempotencyKey: "k" });
    expect(await it.start(draft, { idempotencyKey: "k" })).toMatchObject({
      status: 202,
      body: { id: first.body.id },
    });
    expect(await it.start(draft)).toMatchObject({ status: 404 });
    const other = await someone();
    const theirs = await other.draft(PET_SHOP);
    expect(await it.start(theirs)).toMatchObject({ status: 404 });
  });

  test("a list that is deleted before the import begins fails it, with nothing half done", async () => {
    const it = await someone();
    const list = await it.list("A");
    const draft = await it.draft(PET_SHOP);
    const { columns } = await it.read(draft.id, { columns: TUTORS });
    const answer = await it.start({ ...draft, columns }, { listIds: [list] });
    await it.me.call("DELETE", `/api/contact-lists/${list}`);
    expect(await it.me.report(answer.body.id)).toMatchObject({
      state: "failed",
      fault: { code: "import_list_gone" },
    });
    expect(await it.people()).toEqual([]);
  });
});

describe("a file with its decisions in one call", () => {
  type Refusal = {
    code: string;
    fields?: Record<string, string>;
    details?: { questions: { code: string; columns: number[] }[]; columns: string[] };
  };
  const UNSURE = "Quem;Onde ligar\nAna;31988124001\nBia;31988124002\n";
  const SURE = "Nome;Telefone;Cidade\nAna Lima;31 98811-7701;BH\nBia Sá;31 98811-7702;\n";

  async function caller() {
    const it = await someone();
    const send = (body: string, decisions: object | string, more = "") => {
      const text = typeof decisions === "string" ? decisions : JSON.stringify(decisions);
      const query = `fileName=clientes.csv&decisions=${encodeURIComponent(text)}${more}`;
      return it.me.raw<Refusal & { id: number }>(`${at}/start?${query}`, body, "text/csv");
    };
    const kept = async () => {
      const { rows } = await sql<{ drafts: number; imports: number; fields: number }>`select
          (select count(*)::int from import_draft where account_id = ${it.account}::uuid) as drafts,
          (select count(*)::int from contact_import where account_id = ${it.account}::uuid) as imports,
          (select count(*)::int from contact_field where account_id = ${it.account}::uuid) as fields`.execute(
        db,
      );
      return { ...rows[0], files: spooled().length };
    };
    return { ...it, send, kept };
  }

  test("is imported as it was understood where nothing is in doubt", async () => {
    const it = await caller();
    const { status, body } = await it.send(SURE, { listName: "Clientes", basis: "customer" });
    expect(status).toBe(202);
    expect(await it.me.report(body.id)).toMatchObject({ imported: 2, listName: "Clientes" });
    expect(await it.people()).toEqual([
      ["Ana Lima", "7701", {}],
      ["Bia Sá", "7702", {}],
    ]);
  });

  test("makes the new fields of its columns, and joins lists", async () => {
    const it = await caller();
    const list = await it.list("Tutores");
    const { status, body } = await it.send(PET_SHOP, { columns: TUTORS, listIds: [list] });
    expect(status).toBe(202);
    await it.me.report(body.id);
    expect(await it.listed(list)).toEqual(["7701", "7702"]);
    expect(await it.people()).toContainEqual([
      "Ana Beatriz Rocha",
      "7701",
      { pet: "Rex", ultima_vacina: "2025-11-12", peso: 4.5 },
    ]);
  });

  test("is refused whole while a doubt is left, with the open columns and their headings", async () => {
    const it = await caller();
    const before = await it.kept();
    const { status, body } = await it.send(PET_SHOP, { listName: "Clientes" });
    expect([status, body.code]).toEqual([422, "import_undecided"]);
    expect(body.details?.questions).toMatchObject([{ code: "several_names", columns: [1, 2] }]);
    expect(body.details?.columns).toEqual(["Código", "Nome", "Responsável", "Fone", "Dt. vacina", "Peso"]);
    expect(await it.kept()).toEqual(before);
  });

  test("an unsure header is a doubt although columns were given", async () => {
    const it = await caller();
    const columns = [{ role: "name" }, { role: "phone", rank: 1 }];
    const given = { listName: "Clientes", columns };
    const unsure = await it.send(UNSURE, given);
    expect([unsure.status, unsure.body.details?.questions.map(({ code }) => code)]).toEqual([
      422,
      ["unsure_header"],
    ]);
    expect((await it.send(UNSURE, { ...given, headerRow: null })).status).toBe(202);
  });

  test.each([
    ["no JSON", "{", { decisions: "Valor inválido." }],
    ["an unknown part", { listName: "X", outro: 1 }, { "decisions.outro": expect.any(String) }],
    [
      "an unknown role",
      { listName: "X", columns: [{ role: "x" }] },
      { "decisions.columns.0.role": expect.any(String) },
    ],
    [
      "an unknown field, after a new one",
      {
        listName: "X",
        columns: [
          { role: "new_field", label: "Pet", kind: "text" },
          { role: "phone", rank: 1 },
          { role: "field", field: "outro" },
        ],
      },
      { "columns.2": "Campo desconhecido." },
    ],
  ])("%s is refused by its place, and nothing is kept", async (_, decisions, fields) => {
    const it = await caller();
    const before = await it.kept();
    const { status, body } = await it.send(SURE, decisions);
    expect([status, body.fields]).toEqual([422, fields]);
    expect(await it.kept()).toEqual(before);
  });

  test("sent twice with one key is imported once; with other decisions it is refused", async () => {
    const it = await caller();
    const key = "&idempotencyKey=uma-vez-so";
    const first = await it.send(SURE, { listName: "Clientes" }, key);
    await it.me.report(first.body.id);
    const before = await it.kept();
    const again = await it.send(SURE, { listName: "Clientes" }, key);
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    const other = await it.send(SURE, { listName: "Outra" }, key);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_mismatch"]);
    expect(await it.kept()).toEqual(before);
  });
});
