import { describe, expect, test } from "vitest";
import { type CsvLayout, detectLayout, furtherPhones, readLine, readRow } from "./csv-layout.ts";
import { CsvScanner } from "./csv-scan.ts";
import { readJsonRow, refuseSplitKeys } from "./json-contacts.ts";

function recordsOf(text: string) {
  const layout = detectLayout(text, true);
  const records: string[][] = [];
  const scanner = new CsvScanner(layout.separator, {
    record: (cells) => records.push(cells),
    tooLong: () => 0,
  });
  scanner.push(text);
  scanner.end();
  return { layout, records: records.slice(layout.skip) };
}

const phones = (text: string) => {
  const { layout, records } = recordsOf(text);
  return records.map((cells) => readRow(layout, cells)).map(({ phone, error }) => error ?? phone);
};

const lineOf = (layout: CsvLayout, cells: string[] = []) =>
  [...readLine(layout, cells)].filter((read) => read !== null);

describe("26.8 codes in columns of their own", () => {
  test.each([
    ["DDI", "Nome;DDI;Telefone\nAna;1;2125551234"],
    ["DDI", "Nome;DDI;DDD;Telefone\nAna;351;91;2345678"],
    ["DDI", "DDI;Telefone;Nome\n+34;912345678;Ana"],
    ["Código do país", "Nome;Código do país;Celular\nAna;44;7911123456"],
    ["Country Code", "Name,Country Code,Phone\nAna,US,2125551234"],
    ["Cód. País", "Nome;Cód. País;Fone\nAna;xx;2125551234"],
    ["DDD", "Nome;Telefone;DDD\nAna;987654321;11"],
    ["DDD", "DDD;Nome;Telefone\n11;Ana;98765-4321"],
    ["Código de área", "Código de área;Nome;Telefone\n011;Ana;3333-4444"],
    ["DDD Celular", "DDD Celular;Nome;Celular\n11;Ana;987654321"],
  ])("are named where a phone is not whole without them: %s of «%s»", (column, text) => {
    expect(() => detectLayout(text, true)).toThrow(
      expect.objectContaining({ code: "import_split_phone", details: { columns: column } }),
    );
  });

  test.each([
    ["a DDD right before its phone is joined", "Nome;DDD;Telefone\nAna;11;987654321", "11 987654321"],
    ["so is an area code", "Nome;Código de área;Telefone\nAna;11;987654321", "11 987654321"],
    ["Brazil's own code", "Nome;DDI;DDD;Telefone\nAna;+55;11;987654321", "11 987654321"],
    ["Brazil by its name", "Nome;Country Code;Phone\nAna;BR;11987654321", "11987654321"],
    ["an empty code", "Nome;DDI;Telefone\nAna;;11987654321", "11987654321"],
    ["a phone that is whole", "Nome;DDI;Telefone\nAna;351;351912345678", "351912345678"],
    ["a phone with its +", "Nome;DDI;Telefone\nAna;1;+1 212 555 1234", "+1 212 555 1234"],
    ["a DDD that the phone has too", "DDD;Nome;Telefone\n11;Ana;(11) 98765-4321", "(11) 98765-4321"],
    ["no phone at all", "Nome;DDI;Telefone\nAna;351;\nBia;55;11987654321", ""],
  ])("%s", (_, text, phone) => {
    expect(phones(text)[0]).toBe(phone);
  });

  test("a row far down that lacks its code is refused by itself", () => {
    const many = Array.from({ length: 60 }, (_, at) => `Ana;55;119876543${10 + at}`).join("\n");
    const rows = phones(`Nome;DDI;Telefone\n${many}\nBob;1;2125551234\nBia;55;11987654399`);
    expect(rows.slice(-2)).toEqual(["row_split_phone", "11987654399"]);
  });

  test("keys of JSON are named as columns are", () => {
    const refuse = (text: string) => refuseSplitKeys(JSON.parse(text));
    const us = '{"name":"Bob","countryCode":"1","phone":"2125551234"}';
    expect(() => refuse(`[${us}]`)).toThrow(expect.objectContaining({ details: { columns: "countryCode" } }));
    expect(() => refuse('[{"nome":"Ana","ddd":11,"telefone":"987654321"}]')).toThrow(
      expect.objectContaining({ code: "import_split_phone", details: { columns: "ddd" } }),
    );
    refuse('[{"name":"Ana","ddi":"55","phone":"11987654321"},{"name":"Bia","phone":"11987654322"}]');
    expect(readJsonRow(JSON.parse(us)).error).toBe("row_split_phone");
  });
});

describe("26.8 several phones of a line", () => {
  test("IM25 a line of three and more phones without a name is a line of people", () => {
    const line = "+55 31 98833-5601; +55 31 98833-5602; +55 31 98833-5603";
    const odd = "+55 31 98833-5604; 123; +55 31 98833-5606; 9";
    const { layout, records } = recordsOf(`${line}\n`.repeat(60) + odd);
    expect(layout.everyCell).toBe(true);
    expect(lineOf(layout, records[0]).map(({ error }) => error)).toEqual([null, null, null]);
    expect(lineOf(layout, records.at(-1)).map(({ phone, error }) => error ?? phone.trim())).toEqual([
      "phone_too_short",
      "+55 31 98833-5604",
      "+55 31 98833-5606",
    ]);
  });

  test("papers beside a phone are no people", () => {
    const { layout } = recordsOf("31988335601;11144477735;31988335603\n31988335604;11144477735;31988335606");
    expect(layout.everyCell).toBe(false);
  });

  test.each([
    ["two columns", "Nome;Celular;Telefone\nAna;11987654321;1133334444", 1],
    ["the same in both", "Nome;Celular;Telefone\nAna;11987654321;+55 11 98765-4321", 0],
    ["the second without DDD", "Nome;Celular;Telefone\nAna;11987654321;98765-4321", 0],
    ["an empty one", "Nome;Celular;Telefone\nAna;11987654321;", 0],
    ["no header", "Ana;11987654321;1133334444", 1],
    ["two alone in a line", "11987654321;1133334444", 1],
    ["a paper", "Nome;Celular;CPF\nAna;11987654321;123.456.789-09", 0],
  ])("what is not taken of a contact is counted: %s", (_, text, count) => {
    const { layout, records } = recordsOf(text);
    expect(furtherPhones(layout, records[0] ?? [])).toBe(count);
  });

  test("columns that nothing is read of are named", () => {
    const { layout } = recordsOf("Id;Nome;E-mail;;Celular;Telefone\n7;Ana;a@b.c;;11987654321;1133334444");
    expect(layout.unused).toEqual(["Id", "E-mail"]);
  });
});
