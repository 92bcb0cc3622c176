import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Cell, sheetXml, workbookParts, xlsx, zip } from "../../../tests/support/xlsx.ts";
import { csvOf, vcardRows, workbookRows } from "./as-table.ts";
import { ZipFile } from "./workbook/zip.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-tables-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

type Rows = { row: number; cells: string[] }[];

async function rowsOf(bytes: Buffer, sheet?: string): Promise<Rows> {
  const file = path.join(folder, "book.xlsx");
  fs.writeFileSync(file, bytes);
  const all: Rows = [];
  for await (const rows of workbookRows(file, sheet)) all.push(...rows);
  return all;
}

const cellsOf = async (bytes: Buffer) => (await rowsOf(bytes)).map(({ cells }) => cells);
const xml = (text: string): Cell => ({ xml: text });
const people: Cell[][] = [
  ["Nome", "Telefone"],
  ["Ana", 31988124001],
];
const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="0 &quot;dias&quot;"/>
  </numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="165"/></cellXfs></styleSheet>`;
const styled = (cells: Cell[], date1904 = false) =>
  zip(
    workbookParts({
      sheets: { A: sheetXml([...people, ["Bia", 31988124002, ...cells]]) },
      more: { "xl/styles.xml": styles },
      date1904,
    }),
  );
const shownBy = async (style: number, value: number | string, date1904 = false) =>
  (await cellsOf(styled([xml(`<c s="${style}"><v>${value}</v></c>`)], date1904))).at(-1)?.[2];

describe("cells", () => {
  test("a phone that is a number keeps its digits, whatever its writing", async () => {
    const rows = await cellsOf(xlsx([...people, ["Bia", xml("<c><v>5.531988124001E12</v></c>")]]));
    expect(rows.slice(1)).toEqual([
      ["Ana", "31988124001"],
      ["Bia", "5531988124001"],
    ]);
  });
  test("shared texts, with formats and without their pronunciation", async () => {
    const strings =
      "<sst><si><t>Nome</t></si><si><r><t>Jo</t></r><r><t>ão</t></r><rPh><t>x</t></rPh></si><si><t>A &amp; B</t></si></sst>";
    const shared = (at: number) => xml(`<c t="s"><v>${at}</v></c>`);
    const sheet = sheetXml([
      [shared(0), "Telefone"],
      [shared(1), 31988124001],
      [shared(2), 31988124002],
      [shared(9), 31988124003],
    ]);
    const book = zip(workbookParts({ sheets: { A: sheet }, more: { "xl/sharedStrings.xml": strings } }));
    expect((await cellsOf(book)).map(([name]) => name)).toEqual(["Nome", "João", "A & B", ""]);
  });
  test("of a formula the value that was calculated counts, and none where none is kept", async () => {
    const rows = await cellsOf(
      xlsx([
        ...people,
        [xml('<c t="str"><f>A1&amp;"x"</f><v>Bia</v></c>'), xml("<c><f>1+1</f><v>31988124002</v></c>")],
        [xml("<c><f>A2</f></c>"), 31988124003],
      ]),
    );
    expect(rows.slice(2)).toEqual([
      ["Bia", "31988124002"],
      ["", "31988124003"],
    ]);
  });
  test("errors and truth values are shown as the sheet shows them", async () => {
    const rows = await cellsOf(
      xlsx([...people, [xml('<c t="e"><v>#N/A</v></c>'), xml('<c t="b"><v>1</v></c>')]]),
    );
    expect(rows.at(-1)).toEqual(["#N/A", "TRUE"]);
  });
  test.each([
    [1, 46_351, "25/11/2026"],
    [2, 46_351.604_166, "25/11/2026 14:30"],
    [3, 0.604_166, "14:30"],
    [1, 1, "01/01/1900"],
    [1, 59, "28/02/1900"],
    [1, 61, "01/03/1900"],
    [1, -1, "-1"],
    [1, 99_999_999, "99999999"],
    [4, 5, "5"],
    [0, 46_351, "46351"],
  ])("style %i shows %d as %s", async (style, value, text) => {
    expect(await shownBy(style, value)).toBe(text);
  });
  test("a date before 1900 is a text of its sheet, and 1904 may be its beginning", async () => {
    expect((await cellsOf(styled(["15/03/1895"]))).at(-1)?.[2]).toBe("15/03/1895");
    expect(await shownBy(1, 44_889, true)).toBe("25/11/2026");
  });
});

describe("rows", () => {
  test("keep their numbers past blank ones, also as text", async () => {
    const sheet = `<worksheet><sheetData><row r="3"><c r="B3" t="str"><v>Nome</v></c><c r="C3" t="str"><v>Fone</v></c></row>
      <row r="6"><c r="B6" t="str"><v>A "B"; C</v></c><c r="C6"><v>31988124001</v></c></row></sheetData></worksheet>`;
    const file = path.join(folder, "gaps.xlsx");
    fs.writeFileSync(file, zip(workbookParts({ sheets: { A: sheet } })));
    let text = "";
    for await (const piece of csvOf(workbookRows(file, undefined))) text += piece;
    expect(text).toBe('\n\n"";"Nome";"Fone"\n\n\n"";"A ""B""; C";"31988124001"\n');
  });
  test("merged cells hold their text once", async () => {
    const sheet = `${sheetXml([["Contatos"], ...people]).replace("</worksheet>", "")}<mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`;
    expect(await cellsOf(zip(workbookParts({ sheets: { A: sheet } })))).toEqual([
      ["Contatos"],
      ["Nome", "Telefone"],
      ["Ana", "31988124001"],
    ]);
  });
  test("300 columns and a cell of 10 MB are read, the cell cut", async () => {
    const wide = Array.from({ length: 298 }, (_, at) => `c${at}`);
    const rows = await cellsOf(
      xlsx([
        ["Nome", "Telefone", ...wide],
        ["Ana", 31988124001, ...wide],
        ["x".repeat(10_000_000), 1],
      ]),
    );
    expect(rows.map((cells) => cells.length)).toEqual([300, 300, 2]);
    expect(rows.at(-1)?.[0]).toHaveLength(64 * 1024 + 1);
  });
});

describe("sheets", () => {
  const book = (sheets: Record<string, Cell[][]>, hidden: string[] = []) =>
    zip(
      workbookParts({
        sheets: Object.fromEntries(Object.entries(sheets).map(([name, rows]) => [name, sheetXml(rows)])),
        hidden,
      }),
    );
  test("the one that holds phones is chosen, past empty, hidden and other ones", async () => {
    const bytes = book(
      {
        Vazia: [],
        Velha: people,
        Preços: [
          ["Produto", "Valor"],
          ["Bolo", 10],
        ],
        Clientes: [...people, ["Bia", 31988124002]],
      },
      ["Velha"],
    );
    expect(await rowsOf(bytes)).toHaveLength(3);
  });
  test("several are asked about, and the one that is named is read", async () => {
    const bytes = book({ Clientes: people, Fornecedores: [...people, ["Bia", 31988124002]] });
    await expect(rowsOf(bytes)).rejects.toMatchObject({
      code: "import_several_sheets",
      details: { sheets: "«Clientes», «Fornecedores»" },
    });
    expect(await rowsOf(bytes, "Fornecedores")).toHaveLength(3);
    await expect(rowsOf(bytes, "Outra")).rejects.toMatchObject({ code: "import_several_sheets" });
  });
  test("none with phones", async () => {
    await expect(rowsOf(book({ A: [] }))).rejects.toMatchObject({ code: "import_empty" });
    await expect(rowsOf(book({ A: [["Produto"], ["Bolo"]] }))).rejects.toMatchObject({
      code: "import_no_phone_column",
    });
  });
});

describe("what is no honest workbook", () => {
  const parts = (sheet: string, more: Record<string, string> = {}) =>
    workbookParts({ sheets: { A: sheet }, more });
  const doctype = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><worksheet>&c;</worksheet>';
  const bomb = `<worksheet><sheetData>${" ".repeat(200_000_000)}</sheetData></worksheet>`;
  test.each([
    ["a bomb of blanks", zip(parts(bomb)), "import_workbook_too_large"],
    [
      "a bomb among its texts",
      zip(parts(sheetXml(people), { "xl/sharedStrings.xml": bomb })),
      "import_workbook_too_large",
    ],
    ["a column beyond any", xlsx([[xml('<c r="ZZZ1"><v>1</v></c>')]]), "import_workbook_too_large"],
    ["entities", zip(parts(doctype)), "import_workbook_broken"],
    ["no XML", zip(parts("Nome;Telefone")), "import_workbook_broken"],
    ["XML that ends amid", zip(parts("<worksheet><sheetData><row>")), "import_workbook_broken"],
    ["half of a file", xlsx(people).subarray(0, 400), "import_workbook_broken"],
    ["no workbook inside", zip({ "a.txt": "a" }), "import_workbook_broken"],
    ["a password for its parts", zip(parts(sheetXml(people)), { flags: 1 }), "import_encrypted"],
    ["nothing", Buffer.alloc(0), "import_workbook_broken"],
  ])("%s", async (_, bytes, code) => {
    await expect(rowsOf(bytes)).rejects.toMatchObject({ code });
  });
  test("a bomb ends where no honest part would", async () => {
    const file = path.join(folder, "bomb.zip");
    fs.writeFileSync(file, zip({ a: Buffer.alloc(200_000_000) }));
    const archive = await ZipFile.open(file);
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of archive.read("a")) bytes += piece.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: "import_workbook_too_large" });
    await archive.close();
    expect(bytes).toBeLessThan(100_000_000);
  });
  test("damaged bytes inside", async () => {
    const bytes = xlsx(Array.from({ length: 500 }, (_, at) => [`Pessoa ${at}`, 31988124000 + at]));
    bytes.fill(0xff, bytes.length - 1_600, bytes.length - 1_300);
    await expect(rowsOf(bytes)).rejects.toMatchObject({ code: "import_workbook_broken" });
  });
});

test("vCards become rows under a header, mobile first, the ninth number and more in one cell", async () => {
  const card = (...lines: string[]) => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");
  const numbers = Array.from({ length: 10 }, (_, at) => `TEL:3198812400${at}`);
  const text =
    card("FN:Ana", "TEL;HOME:3133334444", "TEL;CELL:31988124001", "EMAIL:a@b.c") + card("FN:Bia", ...numbers);
  async function* pieces() {
    for (let at = 0; at < text.length; at += 50) yield Buffer.from(text.slice(at, at + 50));
  }
  const all: Rows = [];
  for await (const rows of vcardRows(pieces(), "utf-8")) all.push(...rows);
  expect(all.map(({ row }) => row)).toEqual([1, 2, 3]);
  expect(all[1]?.cells).toEqual(["Ana", "31988124001", "3133334444", ...Array(6).fill(""), "a@b.c", ""]);
  expect(all[2]?.cells[8]).toBe("31988124007 / 31988124008 / 31988124009");
});
