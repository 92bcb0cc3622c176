import { describe, expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type {
  ContactImport,
  ContactImportReport,
  ContactListCard,
  ListedContact,
} from "../../contract/contacts.ts";

const database = await testDatabase();
const contacts = contactsApp(database);
const me = contacts.as(await accountRow(database.db));

async function listed(listId: number | null): Promise<[string, string][]> {
  const path = `/api/contact-lists/${listId}/contacts?limit=500`;
  const { body } = await me.call<{ items: ListedContact[] }>("GET", path);
  return body.items.map(({ name, phone }) => [name, phone]);
}

describe("files, from the upload to the rows of the list", () => {
  const ANA = ["Ana", "5511987654321"];
  test.each<[string, string, string[][]]>([
    ["C08 comma", "Nome,Telefone\nAna,11987654321", [ANA]],
    ["C09 tab", "Nome\tTelefone\nAna\t11987654321", [ANA]],
    ["C10 sep= is no row", "sep=;\r\nNome;Telefone\r\nAna;11987654321", [ANA]],
    [
      "C11 lone CR and mixed line ends",
      "Nome;Telefone\rAna;11987654321\nBia;11987654322\r\nCris;11987654323",
      [ANA, ["Bia", "5511987654322"], ["Cris", "5511987654323"]],
    ],
    ["C12 separator in quotes", '"Silva; João";11987654321', [["Silva; João", "5511987654321"]]],
    ["C13 line end in quotes", 'Nome;Telefone\n"Ana\r\nMaria";11987654321', [["Ana Maria", "5511987654321"]]],
    ["C14 doubled quotes", '"Zé ""Boy""";11987654321', [['Zé "Boy"', "5511987654321"]]],
    ["C16 no header", "Ana;11987654321", [ANA]],
    ["C17 Nome/Telefone", "Nome;Telefone\nAna;11987654321", [ANA]],
    ["C18 name,phone", "name,phone\nAna,11987654321", [ANA]],
    ["C19 CELULAR", "CONTATO;CELULAR\nAna;11987654321", [ANA]],
    ["C19 whatsapp", "nome;whatsapp\nAna;11987654321", [ANA]],
    ["C19 Número", "Nome;Número\nAna;11987654321", [ANA]],
    ["C20 columns swapped", "Telefone;Nome\n11987654321;Ana", [ANA]],
    ["C34 apostrophe", "Nome;Telefone\nAna;'5511987654321", [ANA]],
    ["C35 formula of text", 'Nome;Telefone\nAna;"=""5511987654321"""', [ANA]],
  ])("%s", async (_, text, rows) => {
    const report = await me.import(text);
    expect(report).toMatchObject({ state: "done", imported: rows.length, refused: 0 });
    expect(await listed(report.listId)).toEqual(rows);
  });

  test("a name of only invisible signs is none: shown as nameless, refused when added by hand", async () => {
    const nothing = ["\u3164", "\u2800\u2800", "\u034f", "\u{e0020}", " \u115f "];
    const report = await me.import(
      `Nome;Telefone\n${nothing.map((name, at) => `${name};8198765432${at}`).join("\n")}`,
    );
    expect((await listed(report.listId)).map(([name]) => name)).toEqual(nothing.map(() => ""));
    const added = await me.call("POST", "/api/contacts", { name: "\u3164", phone: "11987654321" });
    expect(added).toMatchObject({ status: 422, body: { fields: { name: expect.any(String) } } });
  });

  test("C32 C33 numbers in scientific notation are refused with what to do about it", async () => {
    const report = await me.import("Nome;Telefone\nAna;5,51199E+12\nBia;5.51199E+12\nCris;11987654321\n");
    expect(report).toMatchObject({ imported: 1, refused: 2 });
    expect(report.refusedRows.map(({ row, value, reason }) => [row, value, reason.text])).toEqual([
      [2, "5,51199E+12", "Telefone em notação científica: formate a coluna como texto."],
      [3, "5.51199E+12", "Telefone em notação científica: formate a coluna como texto."],
    ]);
  });

  test("C41 C42 C43 C44 C45 names that a spreadsheet would run are kept, cannot run in the export, and come back @decision 30", async () => {
    const names = ['=HYPERLINK("http://x")', "+1 Ana", "-1 Ana", "@x", "\tx"];
    const text = names.map((name, at) => `"${name.replaceAll('"', '""')}";1198765432${at}`).join("\n");
    const report = await me.import(`Nome;Telefone\n${text}\n`);
    const kept = await listed(report.listId);
    expect(kept.map(([name]) => name)).toEqual(['=HYPERLINK("http://x")', "+1 Ana", "-1 Ana", "@x", "x"]);
    const file = await me.call("GET", `/api/contact-lists/${report.listId}/export`);
    for (const line of file.text.slice(1).trimEnd().split("\r\n"))
      expect(line).not.toMatch(/(^|;)"?[=+@\t-]/);
    expect(await listed((await me.import(file.text)).listId)).toEqual(kept);
  });

  test("T14 two lists of one name stay separate, by their ids", async () => {
    const first = await me.import("Ana;11987654321", { name: "Iguais" });
    const second = await me.import("Bia;11987654322", { name: "Iguais" });
    expect(second.warnings.map(({ code }) => code)).toContain("same_name");
    const { body } = await me.call<{ items: ContactListCard[] }>("GET", "/api/contact-lists");
    const same = body.items.filter(({ name }) => name === "Iguais");
    expect(same.map(({ id }) => id)).toEqual([second.listId, first.listId]);
  });
});

describe("pasted JSON, from the form to the rows of the list", () => {
  const paste = (list: unknown) =>
    me.call<ContactImport>("POST", "/api/contact-imports/json", { name: "Colada", contacts: list });

  async function imported(list: unknown): Promise<ContactImportReport> {
    const { body, status, text } = await paste(list);
    if (status !== 202) throw new Error(`refused: ${status} ${text}`);
    return me.report(body.id);
  }

  test.each([
    ["J01 not JSON", "Ana, 11987654321", "json_invalid", "JSON inválido na linha 1, coluna 1."],
    ["J02 trailing comma", '[{"phone":"1"},]', "json_invalid", "JSON inválido na linha 1, coluna 16."],
    [
      "J13 ten thousand brackets",
      "[".repeat(10_000) + "]".repeat(10_000),
      "json_not_a_list",
      "Esperado uma lista de objetos com name e phone.",
    ],
  ])("%s", async (_, list, code, error) => {
    expect(await paste(list)).toMatchObject({ status: 422, body: { code, error } });
  });

  test("P01–P29 every way to write a phone is one number, or refused with its reason", async () => {
    const accepted = [
      ["P07", "(55) 99999-1234", "5555999991234"],
      ["P08", "5599991235", "5555999991235"],
      ["P09", "+55 55 99999-1236", "5555999991236"],
      ["P10", "55 3221-1234", "555532211234"],
      ["P11", "11 3456-7890", "551134567890"],
      ["P12", "11 8765-4322", "5511987654322"],
      ["P13", "551134567891", "551134567891"],
      ["P14", "5511987654323", "5511987654323"],
      ["P15", "+1 415 555 2671", "14155552671"],
      ["P16", "+351 912 345 678", "351912345678"],
      ["P17", "00351 912 345 679", "351912345679"],
      ["P18", "+595 981 123456", "595981123456"],
      ["P25", "（１１）９８７６５－４３２４", "5511987654324"],
      ["P26", "١١٩٨٧٦٥٤٣٢٥", "5511987654325"],
    ];
    const one = ["(11) 98765-4321", "11987654321", "5511987654321", "+55 11 98765-4321", "011 98765-4321"];
    const refused: [string, string, string][] = [
      ["P19", "447911123456", "phone_too_many_digits"],
      ["P20", "987654321", "phone_no_ddd"],
      ["P21", "119876543211", "phone_too_many_digits"],
      ["P22", "190", "phone_service"],
      ["P23", "0800 123 4567", "phone_toll_free"],
      ["P23", "4004-1234", "phone_toll_free"],
      ["P24", "5511000000000", "phone_nonexistent"],
      ["P27", "1198RAFAEL", "phone_letters"],
      ["P28", "11987654321;ext=5", "phone_letters"],
      ["P29", "1".repeat(200), "phone_too_many_digits"],
    ];
    const typed = [...one, "0 15 11 98765-4321"].map((phone) => ["P01", phone]);
    const rows = [...typed, ...accepted, ...refused].map(([name, phone]) => ({ name, phone }));
    const report = await imported(rows);
    expect(report).toMatchObject({ imported: 15, repeated: 5, refused: 10, ninthAdded: 2 });
    expect(await listed(report.listId)).toEqual([
      ["P01", "5511987654321"],
      ...accepted.map(([id, , phone]) => [id, phone]),
    ]);
    expect(report.refusedRows.map(({ name, reason }) => [name, reason.code])).toEqual(
      refused.map(([id, , code]) => [id, code]),
    );
    for (const { reason } of report.refusedRows) expect(reason.text.split(" ").length).toBeGreaterThan(3);
  });
});
