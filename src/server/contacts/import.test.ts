import fs from "node:fs";
import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { sheetXml, workbookParts, xlsx, zip } from "../../../tests/support/xlsx.ts";
import type { ContactImport, ListedContact } from "../../contract/contacts.ts";
import { pruneNotedRows } from "./forget.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);
const owner = await accountRow(db);
const me = contacts.as(owner);

async function listed(listId: number | null, who = me): Promise<[string, string][]> {
  const { body } = await who.call<{ items: ListedContact[] }>(
    "GET",
    `/api/contact-lists/${listId}/contacts?limit=500`,
  );
  return body.items.map(({ name, phone }) => [name, phone]);
}

const spooled = () => fs.readdirSync(`${contacts.dataFolder}/imports`).filter((name) => name !== "folder-id");

describe("a file of a Brazilian office @spec 5.6", () => {
  test("IM28 IM55 what stands for no name is kept as none, and no CPF is kept behind one", async () => {
    const report = await me.import(
      "nome,telefone\nNULL,31988117701\n#N/D,31988117702\n5531988117703,31988117703\nNana Caymmi,31988117704\n" +
        "NEUSA CARDOSO LIMA 12345678909,31988117705\nNULL,31988117706\nJúlia,31988117706\n",
    );
    expect(report).toMatchObject({ imported: 6, repeated: 1, refused: 0 });
    expect((await listed(report.listId)).map(([name]) => name)).toEqual([
      "",
      "",
      "",
      "Nana Caymmi",
      "NEUSA CARDOSO LIMA",
      "Júlia",
    ]);
  });

  test("IM25 several phones of a line are several people", async () => {
    const report = await me.import(
      "+55 31 98833-5601; +55 31 98833-5602; +55 31 98833-5603\n31 8833-5604; 31 8833-5605; 55 31 98833-5606\n",
    );
    expect(report).toMatchObject({ rowsRead: 6, imported: 6, refused: 0, ninthAdded: 2 });
    expect((await listed(report.listId)).map(([, phone]) => Number(phone) - 5531988335600)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  test("26.18 the report lists what was skipped: columns, blank lines, a contact's further phones", async () => {
    const report = await me.import(
      "Id;Nome;E-mail;Celular;Telefone\n1;Ana;a@b.c;11987654321;1133334444\n;;;;\n\n2;Bia;;11987654322;\n;;;;\n",
    );
    expect(report).toMatchObject({
      imported: 2,
      leftOut: { columns: ["Id", "E-mail"], blankRows: 3, furtherPhones: 1 },
    });
    const json = await me.call<ContactImport>("POST", "/api/contact-imports/json", {
      name: "Colada",
      contacts: [{ name: "Ana", celular: "11987654321", telefone: "1133334444" }],
    });
    expect(await me.report(json.body.id)).toMatchObject({ leftOut: { furtherPhones: 1 } });
  });

  test("26.8 a country code in a column of its own is joined; one that fits nothing refuses the file at once", async () => {
    const joined = await me.import("Nome;DDI;Telefone\nBob;1;2125551234\n");
    expect(await listed(joined.listId)).toEqual([["Bob", "12125551234"]]);
    const answer = await me.upload({ name: "Mundo" }, "Nome;DDI;Telefone\nBob;999;2125551234\n");
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "import_split_phone",
        error: expect.stringContaining("em coluna própria (DDI)"),
      },
    });
    expect(spooled()).toEqual([]);
    const pasted = await me.call("POST", "/api/contact-imports/json", {
      name: "Mundo",
      contacts: [{ name: "Bob", countryCode: 999, phone: "2125551234" }],
    });
    expect(pasted).toMatchObject({ status: 422, body: { code: "import_split_phone" } });
  });

  test("26.8 a hidden WhatsApp id is not a number: in a file, in JSON, by hand", async () => {
    const id = "494681625791558";
    const reason = { code: "phone_hidden_id" };
    expect((await me.import(`Nome;Telefone\nAna;${id}\n`)).refusedRows).toMatchObject([{ reason }]);
    const pasted = await me.call<ContactImport>("POST", "/api/contact-imports/json", {
      name: "Colada",
      contacts: [{ name: "Ana", phone: id }],
    });
    expect((await me.report(pasted.body.id)).refusedRows).toMatchObject([{ reason }]);
    const added = await me.call("POST", "/api/contacts", { name: "Ana", phone: id });
    expect(added).toMatchObject({ status: 422, body: { fields: { phone: expect.any(String) } } });
  });

  test("26.8 broken names make the import ask, and are imported once it is confirmed", async () => {
    const names = ["Jo\ufffdo", "Ana", "Ant\u0001nia", "Z\ufffd", "In\ufffds", "Bia\u0085", "José º º"];
    const text = `Nome;Telefone\n${names.map((name, at) => `${name};1198765432${at}`).join("\n")}\n`;
    const refused = {
      status: 422,
      body: {
        code: "import_broken_names",
        error: expect.stringContaining("ilegíveis: 5. Por exemplo: «Jo\ufffdo», «Ant\ufffdnia», «Z\ufffd»."),
        details: { count: 5, samples: ["Jo\ufffdo", "Ant\ufffdnia", "Z\ufffd"] },
      },
    };
    expect(await me.upload({ name: "Trocados" }, text)).toMatchObject(refused);
    expect(await me.upload({ name: "Trocados" }, Buffer.from(`\ufeff${text}`, "utf16le"))).toMatchObject(
      refused,
    );
    expect(spooled()).toEqual([]);
    const report = await me.import(text, { name: "Trocados", acceptBrokenNames: "true" });
    expect(report).toMatchObject({ imported: 7, refused: 0 });
    expect((await listed(report.listId))[0]).toEqual(["Jo\ufffdo", "5511987654320"]);

    const contacts = [{ name: "Jo\ufffdo", phone: "11987654321" }];
    const paste = (accept?: boolean) =>
      me.call<ContactImport>("POST", "/api/contact-imports/json", {
        name: "Colada",
        contacts,
        ...(accept === undefined ? {} : { acceptBrokenNames: accept }),
      });
    expect(await paste()).toMatchObject({ status: 422, body: { code: "import_broken_names" } });
    expect((await paste(true)).status).toBe(202);
  });

  test("26.8 whole names with accents and line ends, in any encoding, are not asked about", async () => {
    const text =
      'Nome;Telefone\nJoão;11987654321\n"Ana\nMaria";11987654322\nTereza\u00a0“Teca”;11987654323\n';
    for (const body of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, "utf16le")])
      expect(await me.import(body)).toMatchObject({ imported: 3, refused: 0 });
  });

  test("C02 C07 Windows-1252 with semicolons, accents, repeated and wrong rows @spec 7.2", async () => {
    const text =
      "Nome;Telefone\r\nJoão;(11) 98765-4321\r\nAntônia;11 8765-4321\r\nZé;5511987654321\r\nInês;123\r\nÂngela;5,51199E+12\r\n" +
      "Célia;+351 912 345 678\r\n\r\n;;\r\n";
    const report = await me.import(Buffer.from(text, "latin1"), {
      name: "Clientes",
      fileName: "clientes.csv",
    });
    expect(report).toMatchObject({
      state: "done",
      listName: "Clientes",
      fileName: "clientes.csv",
      layout: { encoding: "windows-1252", separator: ";", header: true },
      rowsRead: 6,
      imported: 2,
      repeated: 2,
      refused: 2,
      ninthAdded: 0,
      bytesRead: text.length,
      bytesTotal: text.length,
      fault: null,
    });
    expect(await listed(report.listId)).toEqual([
      ["João", "5511987654321"],
      ["Célia", "351912345678"],
    ]);
    expect(report.refusedRows).toEqual([
      {
        row: 5,
        name: "Inês",
        value: "123",
        reason: { code: "phone_too_short", text: expect.stringContaining("Faltam dígitos") },
      },
      {
        row: 6,
        name: "Ângela",
        value: "5,51199E+12",
        reason: { code: "phone_scientific", text: expect.stringContaining("notação científica") },
      },
    ]);
  });

  test("P12 an old mobile gets its ninth digit, and the report lists it @decision 6", async () => {
    const report = await me.import("Nome;Telefone\nAna;31 8765-4321\n");
    expect(report).toMatchObject({
      imported: 1,
      ninthAdded: 1,
      ninthAddedRows: [{ row: 2, name: "Ana", value: "31 8765-4321" }],
    });
    expect(await listed(report.listId)).toEqual([["Ana", "5531987654321"]]);
  });

  test("C36 one phone in three shapes is one contact @spec 5.4 @decision 7", async () => {
    const report = await me.import("Ana,11987654321\nAna,+55 11 98765-4321\nAna,(11) 98765 4321\n");
    expect(report).toMatchObject({ imported: 1, repeated: 2, rowsRead: 3 });
  });

  test("a contact that first comes without a name has the first one that a later row gives it, and keeps its place", async () => {
    const stranger = contacts.as(await accountRow(db));
    const report = await stranger.import(
      ',11987654321\nBia,21987654321\n"",(11) 98765-4321\nAna \\ Zé,+55 11 98765-4321\nAnabel,11987654321\nBeatriz,21987654321\n,31987654321\n',
    );
    expect(report).toMatchObject({ rowsRead: 7, imported: 3, repeated: 4 });
    expect(await listed(report.listId, stranger)).toEqual([
      ["Ana \\ Zé", "5511987654321"],
      ["Bia", "5521987654321"],
      ["", "5531987654321"],
    ]);
  });

  test("names after more rows than the buffer holds reach their contacts", async () => {
    const phones = Array.from({ length: 12_000 }, (_, n) => `119${String(20_000_000 + n)}`);
    const named = phones.map((phone, n) => `Pessoa ${n},${phone}\n`);
    const report = await me.import(
      `Nome,Telefone\n${phones.map((phone) => `,${phone}\n`).join("")}${named.join("")}`,
    );
    expect(report).toMatchObject({ imported: 12_000, repeated: 12_000 });
    const { rows } = await sql<{ n: number }>`select count(*)::int as n
      from membership m join person p on p.id = m.person_id
      where m.list_id = ${report.listId} and p.name = 'Pessoa ' || m.seq`.execute(db);
    expect(rows).toEqual([{ n: 12_000 }]);
  });

  test("the earlier text file of 'name,phone' lines @spec 2.51,5.6", async () => {
    const { body, status } = await me.upload<ContactImport>(
      { name: "Antiga", fileName: "lista.txt" },
      "Ana,11987654321\n\nBia,21987654321",
      "text/plain",
    );
    expect(status).toBe(202);
    const report = await me.report(body.id);
    expect(await listed(report.listId)).toEqual([
      ["Ana", "5511987654321"],
      ["Bia", "5521987654321"],
    ]);
  });

  test.each([
    ["C01 UTF-8 with BOM", Buffer.from("\ufeffNome;Telefone\nJoão;11987654321")],
    ["C03 ISO-8859-1", Buffer.from("Nome;Telefone\nJoão;11987654321", "latin1")],
    ["C04 UTF-16", Buffer.from("\ufeffNome\tTelefone\r\nJoão\t11987654321\r\n", "utf16le")],
    ["C04 UTF-16 without its mark", Buffer.from("Nome\tTelefone\r\nJoão\t11987654321\r\n", "utf16le")],
    ["C05 UTF-8", Buffer.from("Nome,Telefone\nJoão,11987654321")],
    ["UTF-8 encoded twice", Buffer.from("Nome,Telefone\nJoÃ£o,11987654321")],
    ["Mac Roman", Buffer.from("Nome;Telefone\nJo\x8bo;11987654321", "latin1")],
    ["CP850", Buffer.from("Nome;Telefone\nJo\xc6o;11987654321", "latin1")],
  ])("%s reads accents right", async (_, bytes) => {
    const report = await me.import(bytes);
    expect(await listed(report.listId)).toEqual([["João", "5511987654321"]]);
  });

  test("C06 a mixed encoding is refused, and read as the person chooses", async () => {
    const mixed = Buffer.concat([
      Buffer.from("Nome;Telefone\nJoão;11987654321\n"),
      Buffer.from("José;11987654322\n", "latin1"),
    ]);
    expect(await me.upload({ name: "Mista" }, mixed)).toMatchObject({
      status: 422,
      body: { code: "import_unreadable_encoding", error: expect.stringContaining("codificação") },
    });
    const report = await me.import(mixed, { name: "Mista", encoding: "windows-1252" });
    expect(await listed(report.listId)).toContainEqual(["José", "5511987654322"]);
  });

  test("C38 C39 C40 odd names: emoji kept, NUL refused, direction marks gone", async () => {
    const report = await me.import(
      "Nome;Telefone\n👨‍👩‍👧 Souza;11987654321\nA\0na;11987654322\n\u202eBia;11987654323\n",
    );
    expect(await listed(report.listId)).toEqual([
      ["👨‍👩‍👧 Souza", "5511987654321"],
      ["Bia", "5511987654323"],
    ]);
    expect(report.refusedRows).toMatchObject([
      { row: 3, name: "A\ufffdna", reason: { code: "row_bad_text" } },
    ]);
  });

  test("C26 C30 a ragged row and a field of 10 MB cost themselves alone", async () => {
    const report = await me.import(`Nome;Telefone\nBia\n${"x".repeat(10_000_000)};1\nCris;11987654321\n`);
    expect(report).toMatchObject({ imported: 1, refused: 2 });
    expect(report.refusedRows.map(({ row, reason }) => [row, reason.code])).toEqual([
      [2, "row_columns"],
      [3, "row_too_long"],
    ]);
  });
});

test("the rows that an import noted down go with its list, or after a month", async () => {
  const noted = async () => {
    const { rows } = await sql<{ value: string }>`select r.value from contact_import_row r
      join contact_import i on i.id = r.import_id where i.account_id = ${owner}::uuid and i.list_name like 'Notas %'
      order by 1`.execute(db);
    return rows.map(({ value }) => value);
  };
  const [gone, old] = [
    await me.import("Nome;Telefone\nAna;11987654321\nBia;12\n", { name: "Notas de hoje" }),
    await me.import("Nome;Telefone\nAna;11987654321\nCris;13\n", { name: "Notas de outubro" }),
    await me.import("Nome;Telefone\nAna;11987654321\nDora;14\n", { name: "Notas de novembro" }),
  ];
  expect(await noted()).toEqual(["12", "13", "14"]);
  expect((await me.call("DELETE", `/api/contact-lists/${gone.listId}`)).status).toBe(200);
  expect(await noted()).toEqual(["13", "14"]);
  await sql`update contact_import set finished_at = now() - interval '31 days' where id = ${old.id}`.execute(
    db,
  );
  await pruneNotedRows(db);
  expect(await noted()).toEqual(["14"]);
});

describe("workbooks and contacts of a phone", () => {
  const book = xlsx([
    ["Clientes de novembro"],
    [],
    ["Nome", "Telefone", "Vencimento"],
    ["José Antônio", 31988124001, "10/12/2026"],
    ["Bia", "(31) 98812-4002", null],
    ["Cris", 123, null],
  ]);
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

  test("an .xlsx file is imported, refused rows keep the sheet's numbers, and the file is known again", async () => {
    const { body } = await me.upload<{ id: number }>(
      { name: "Planilha", fileName: "clientes.xlsx" },
      book,
      type,
    );
    const report = await me.report(body.id);
    expect(report).toMatchObject({ imported: 2, refused: 1, leftOut: { columns: ["Vencimento"] } });
    expect(report.refusedRows).toMatchObject([{ row: 6, name: "Cris", value: "123" }]);
    expect(await listed(report.listId)).toEqual([
      ["José Antônio", "5531988124001"],
      ["Bia", "5531988124002"],
    ]);
    expect(spooled()).toEqual([]);
    const again = await me.import(book, { name: "Planilha de novo" });
    expect(again.warnings.map(({ code }) => code)).toEqual(["same_file"]);
  });

  test("contacts of a phone are imported, the mobile of each", async () => {
    const text =
      "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;Jo=C3=A3o;;;\r\nTEL;HOME:3133334444\r\nTEL;CELL:31988124003\r\nEND:VCARD\r\n" +
      "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Só e-mail\r\nEMAIL:a@b.c\r\nEND:VCARD\r\n";
    const report = await me.import(text, { name: "Celular" });
    expect(report).toMatchObject({ imported: 1, refused: 1, leftOut: { furtherPhones: 1 } });
    expect(report.refusedRows).toMatchObject([
      { row: 3, name: "Só e-mail", reason: { code: "phone_missing" } },
    ]);
    expect(await listed(report.listId)).toEqual([["João", "5531988124003"]]);
  });

  test("of several sheets with people the person names one", async () => {
    const people = (name: string, phone: number) =>
      sheetXml([
        ["Nome", "Telefone"],
        [name, phone],
      ]);
    const bytes = zip(
      workbookParts({ sheets: { A: people("Ana", 31988124001), B: people("Bia", 31988124002) } }),
    );
    expect(await me.upload({ name: "Abas" }, bytes, type)).toMatchObject({
      status: 422,
      body: { code: "import_several_sheets", error: expect.stringContaining("«A», «B»") },
    });
    expect(spooled()).toEqual([]);
    const report = await me.import(bytes, { name: "Abas", sheet: "B" });
    expect(await listed(report.listId)).toEqual([["Bia", "5531988124002"]]);
  });

  test("what a file is, is said", async () => {
    const error = expect.stringMatching(/^Este arquivo é PDF\./);
    expect(await me.upload({ name: "a" }, "%PDF-1.7")).toMatchObject({ status: 415, body: { error } });
    expect(await me.upload({ name: "a" }, "x", "application/pdf")).toMatchObject({
      status: 415,
      body: { error },
    });
  });
});

describe("refused at once, with nothing left", () => {
  test.each([
    ["C22", "Nome;E-mail\nAna;a@b.c", 422, "import_no_phone_column"],
    ["C23", "", 422, "import_empty"],
    ["C24", "Nome;Telefone\n", 422, "import_empty"],
    ["C25", "\n\n;\n", 422, "import_empty"],
    ["C21", "Nome;Telefone;Telefone\nAna;1;2", 422, "import_duplicate_header"],
    ["C31 a page", "<html><body><table></table></body></html>", 415, "import_not_csv"],
    ["IM56 XML", '<?xml version="1.0"?><Workbook/>', 415, "import_not_csv"],
    ["an archive", zip({ "a.txt": "a" }), 415, "import_not_csv"],
    ["a workbook of nothing", xlsx([]), 422, "import_empty"],
    ["half of a workbook", xlsx([["Nome", "Telefone"]]).subarray(0, 500), 415, "import_not_csv"],
    [
      "a workbook with two names for each",
      xlsx([
        ["Nome do Aluno", "Nome do Responsável", "Telefone"],
        ["Enzo", "Zilá", 31988124001],
      ]),
      422,
      "import_unsure_columns",
    ],
  ])("%s %j", async (_, bytes, status, code) => {
    expect(await me.upload({ name: "Clientes" }, bytes)).toMatchObject({
      status,
      body: { code, error: expect.any(String) },
    });
    expect(spooled()).toEqual([]);
  });

  test.each([
    ["no name", {}, 422, { code: "list_name_required" }],
    [
      "C47 a name of 300 characters",
      { name: "a".repeat(300) },
      422,
      { code: "invalid_fields", fields: { name: expect.any(String) } },
    ],
    ["only zero-width marks", { name: "\u200b\u200b" }, 422, { code: "list_name_required" }],
    ["an encoding that is none", { name: "a", encoding: "klingon" }, 422, { code: "invalid_fields" }],
  ])("%s", async (_, query, status, body) => {
    expect(await me.upload(query, "Ana,11987654321")).toMatchObject({ status, body });
    expect(spooled()).toEqual([]);
  });

  test("a form or JSON in the place of a file", async () => {
    for (const type of ["multipart/form-data; boundary=x", "application/json", "image/png"]) {
      expect(await me.upload({ name: "Clientes" }, "Ana,11987654321", type)).toMatchObject({ status: 415 });
    }
  });

  test("C29 a file beyond 100 MB is cut off while it arrives", async () => {
    const piece = new Uint8Array(1024 * 1024).fill(65);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        if (sent > 300) controller.close();
        else controller.enqueue(piece);
      },
    });
    const response = await contacts.app.hono.request("/api/contact-imports?name=a", {
      method: "POST",
      headers: { "x-account": owner, "content-type": "text/csv" },
      body,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(response.headers.get("connection")).toBe("close");
    expect(sent).toBeLessThan(110);
    expect(spooled()).toEqual([]);
  });

  test("27.5 an upload that gives a byte now and then is ended as one that stands still, and leaves nothing", async () => {
    const { spool, dataFolder } = contactsApp(database, { stallMs: 40 });
    let left = false;
    let dripping: NodeJS.Timeout | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        dripping = setInterval(() => controller.enqueue(Buffer.from("1\n")), 2);
      },
      cancel() {
        left = true;
        clearInterval(dripping);
      },
    });
    await expect(spool.receive(body)).rejects.toMatchObject({ code: "upload_stalled" });
    await expect.poll(() => left).toBe(true);
    expect(fs.readdirSync(`${dataFolder}/imports`)).toEqual(["folder-id"]);
  });

  test("F33 an upload whose sender goes away leaves nothing", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from("Nome;Telefone\n"));
        setImmediate(() => controller.error(new Error("aborted")));
      },
    });
    await expect(contacts.spool.receive(body)).rejects.toMatchObject({ code: "upload_stalled" });
    expect(spooled()).toEqual([]);
  });
});

describe("refused while it is read: the import fails as a whole", () => {
  async function failed(bytes: string) {
    const before = await sql<{ n: number }>`select count(*)::int as n from contact_list`.execute(db);
    const report = await me.import(bytes);
    const after = await sql<{ n: number }>`select count(*)::int as n from contact_list`.execute(db);
    expect(after.rows).toEqual(before.rows);
    expect(spooled()).toEqual([]);
    return report;
  }

  test("C15 a quote that is never closed names its line", async () => {
    const rows = Array.from(
      { length: 30_000 },
      (_, at) => `Pessoa ${at};119${String(at).padStart(8, "0")}`,
    ).join("\n");
    const report = await failed(`Nome;Telefone\n${rows}\n"Ana;1\nBia;2\n`);
    expect(report).toMatchObject({
      state: "failed",
      listId: null,
      imported: 0,
      fault: {
        code: "import_unclosed_quote",
        error: "Aspas não fechadas na linha 30002.",
        details: { line: 30_002 },
      },
    });
  });

  test("every row refused: a report, and no empty list @spec 5.6", async () => {
    const report = await failed("Nome;Telefone\nAna;1\nBia;2\n");
    expect(report).toMatchObject({ state: "done", listId: null, imported: 0, refused: 2 });
  });
});

test("C37 the same file again is said, and makes a second list without doubles", async () => {
  const bytes = "Nome;Telefone\nAna;11912345678\n";
  await me.import(bytes, { name: "Repetida" });
  const again = await me.import(bytes, { name: "Repetida" });
  expect(again).toMatchObject({ state: "done", imported: 1 });
  expect(again.warnings.map(({ code }) => code)).toEqual(["same_file", "same_name"]);
  expect(again.warnings[0]?.text).toBe("Este mesmo arquivo já foi importado na lista «Repetida».");
});

test("an import sent again under its key is the same one, also two at once; with other content it is refused", async () => {
  const send = (query = {}, phone = "11912345670") =>
    me.upload<ContactImport & { code?: string }>(
      { name: "Uma vez", idempotencyKey: "press-1", ...query },
      `Nome;Telefone\nAna;${phone}\n`,
    );
  const [first, twin] = await Promise.all([send(), send()]);
  expect([first.status, twin.status, twin.body.id]).toEqual([202, 202, first.body.id]);
  for (const other of [send({}, "11912345671"), send({ name: "Outra" })])
    expect(await other).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });
  await me.report(first.body.id);
  expect((await send()).body).toMatchObject({ id: first.body.id, state: "done", imported: 1, warnings: [] });
  await expect.poll(spooled).toEqual([]);

  const json = { name: "Uma vez", contacts: [], idempotencyKey: "press-2" };
  const paste = async () => (await me.call<ContactImport>("POST", "/api/contact-imports/json", json)).body.id;
  expect(await paste()).toBe(await paste());
  await sql`update idempotency_key set at = now() - interval '25 hours'`.execute(db);
  const later = await send({}, "11912345671");
  expect([later.status, later.body.id > first.body.id]).toEqual([202, true]);
  await me.report(later.body.id);
});

test("refused rows come as a CSV that imports once corrected", async () => {
  const report = await me.import('Nome;Telefone\nAna;11987654321\n"Silva; Bia";9999\n=Cris;+1 000 111\n');
  const { text, headers } = await me.call("GET", `/api/contact-imports/${report.id}/refused.csv`);
  expect(headers.get("content-disposition")).toBe(`attachment; filename="${report.id}_recusados.csv"`);
  expect(text.startsWith("\ufeffNome;Telefone;Motivo\r\n")).toBe(true);
  expect(text).toContain("'=Cris;'+1 000 111;");
  const corrected = text.replace("9999", "11987654322").replace("'+1 000 111", "11987654323");
  const second = await me.import(corrected, { name: "Corrigidos" });
  expect(second).toMatchObject({ imported: 2, refused: 0 });
  expect(await listed(second.listId)).toEqual([
    ["Silva; Bia", "5511987654322"],
    ["=Cris", "5511987654323"],
  ]);
});

describe("pasted JSON", () => {
  const paste = async (list: unknown) => {
    const answer = await me.call<ContactImport>("POST", "/api/contact-imports/json", {
      name: "Colada",
      contacts: list,
    });
    if (answer.status !== 202) return answer;
    return { status: 200, body: await me.report(answer.body.id) };
  };

  test("a text, and a list as such", async () => {
    for (const list of [
      '[{"name":"José","phone":"11987654321"}]',
      [{ name: "José", phone: "11987654321" }],
    ]) {
      const { body } = await paste(list);
      const bytes = { bytesRead: 40, bytesTotal: 40 };
      expect(body).toMatchObject({ state: "done", imported: 1, layout: null, ...bytes });
    }
  });
  test("J02 line and column of the error, in words", async () => {
    expect(await paste('[\n{"name":"Ana",}]')).toMatchObject({
      status: 422,
      body: { code: "json_invalid", error: "JSON inválido na linha 2, coluna 15." },
    });
  });
  test.each([
    ["J03", { name: "Ana" }],
    ["J04", []],
    ["J05", ["11987654321"]],
    ["nothing", undefined],
  ])("%s is not a list of contacts", async (_, list) => {
    expect(await paste(list)).toMatchObject({
      status: 422,
      body: { code: "json_not_a_list", error: "Esperado uma lista de objetos com name e phone." },
    });
  });
  test("J06–J12 rows that cannot be contacts are refused one by one", async () => {
    const { body } = await paste(
      '[{"Nome":"Ana","Celular":11987654321},{"foo":1},{"phone":{"n":1}},{"phone":1e400},{"phone":null},"x",{"name":"Bia","phone":"1","phone":"11987654322"}]',
    );
    expect(body).toMatchObject({ state: "done", rowsRead: 7, imported: 2, refused: 5 });
  });
  test("27.4 F3 no body is parsed or kept as a whole, and one of zeros leaves nothing", async () => {
    let longest = 0;
    const { parse } = JSON;
    const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    });
    const send = (list: string) =>
      me.raw<ContactImport>(
        "/api/contact-imports/json",
        `{"name":"Muitos","contacts":${list}}`,
        "application/json",
      );
    const zeros = await send(`[${"0,".repeat(1_500_000)}0]`);
    expect(zeros).toMatchObject({ status: 422, body: { code: "json_not_a_list" } });
    expect(spooled()).toEqual([]);
    const many = Array.from({ length: 20_000 }, (_, at) => ({ name: "Ana", phone: `119${10_000_000 + at}` }));
    for (const list of [JSON.stringify(many), JSON.stringify(JSON.stringify(many))]) {
      const { body } = await send(list);
      expect(await me.report(body.id)).toMatchObject({ state: "done", imported: 20_000 });
    }
    expect(longest).toBeLessThan(100_000);
    spy.mockRestore();
  });
  test("27.4 a contact that is longer than any is refused by itself", async () => {
    const list = [
      { name: "Ana", phone: "11987654321" },
      { name: "x".repeat(70_000), phone: "11987654322" },
    ];
    expect((await paste(list)).body).toMatchObject({ state: "done", imported: 1, refused: 1, rowsRead: 2 });
  });
  test("what is wrong beside the list is said at its field, and nothing stays", async () => {
    const wrong = (body: object) => me.call("POST", "/api/contact-imports/json", body);
    const contacts = [{ phone: "11987654321" }];
    expect(await wrong({ name: 5, contacts })).toMatchObject({
      status: 422,
      body: { fields: { name: "Valor de tipo errado." } },
    });
    expect(await wrong({ nome: "a", contacts })).toMatchObject({
      body: { fields: { nome: "Campo desconhecido." } },
    });
    expect(await wrong({ name: "", contacts })).toMatchObject({ body: { code: "list_name_required" } });
    expect(spooled()).toEqual([]);
  });
  test("J14 50 MB are refused", async () => {
    const answer = await me.call("POST", "/api/contact-imports/json", {
      name: "a",
      contacts: "x".repeat(50_000_000),
    });
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });
});
