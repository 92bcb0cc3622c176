import { describe, expect, test } from "vitest";
import { detectLayout } from "./csv-layout.ts";
import { CsvScanner } from "./csv-scan.ts";
import { readJsonRow, refuseSplitKeys } from "./json-contacts.ts";
import { readPhone } from "./phone-foreign.ts";
import { splitPhones } from "./split-phone.ts";
import { furtherPhones, readLine, readRow } from "./table-rows.ts";

function recordsOf(text: string) {
  const layout = detectLayout(text, true);
  const records: string[][] = [];
  const handlers = { record: (cells: string[]) => void records.push(cells), tooLong: () => undefined };
  const scanner = new CsvScanner(layout.separator, handlers, layout.quote);
  scanner.push(text);
  scanner.end();
  return { layout, records: records.slice(layout.skip) };
}

const phones = (text: string) => {
  const { layout, records } = recordsOf(text);
  return records.map((cells) => readRow(layout, cells)).map(({ phone, error }) => error ?? phone);
};

const lineOf = (cells: string[] = []) => [...readLine(cells)].filter((read) => read !== null);

const canonical = (text: string) =>
  phones(text).map((phone) => {
    const reading = readPhone(phone);
    return "error" in reading ? phone : reading.phone;
  });

describe("26.8 codes in columns of their own", () => {
  test.each([
    ["a country", "Nome;DDI;Telefone\nAna;1;2125551234", "12125551234"],
    ["country and area", "Nome;DDI;DDD;Telefone\nAna;351;91;2345678", "351912345678"],
    ["a country before all", "DDI;Telefone;Nome\n+34;912345678;Ana", "34912345678"],
    ["a country by its long name", "Nome;Código do país;Celular\nAna;44;7911123456", "447911123456"],
    ["a trunk zero in the area", "Código de área;Nome;Telefone\n011;Ana;3333-4444", "551133334444"],
    ["a DDD behind", "Nome;Telefone;DDD\nAna;987654321;11", "5511987654321"],
    ["a DDD before the name", "DDD;Nome;Telefone\n11;Ana;98765-4321", "5511987654321"],
    ["a DDD named as its phone", "DDD Celular;Nome;Celular\n11;Ana;987654321", "5511987654321"],
    [
      "each DDD to the phone of its name",
      "Nome;DDD Celular;DDD Fixo;Celular;Telefone Fixo\nAna;11;21;987654321;33334444",
      "5511987654321",
    ],
    [
      "the same of a land line alone",
      "Nome;DDD Celular;DDD Fixo;Celular;Telefone Fixo\nAna;11;21;;33334444",
      "552133334444",
    ],
    ["by number", "Nome;DDD 1;DDD 2;Telefone 1;Telefone 2\nAna;11;21;;987654321", "5521987654321"],
    ["Brazil and its DDD behind", "Nome;Telefone;DDD;DDI\nAna;987654321;11;55", "5511987654321"],
  ])("are joined: %s", (_, text, phone) => {
    expect(canonical(text)).toEqual([phone]);
  });

  test.each([
    ["Country Code", "Name,Country Code,Phone\nAna,US,2125551234"],
    ["Cód. País", "Nome;Cód. País;Fone\nAna;xx;2125551234"],
    ["DDI", "Nome;DDI;Telefone\nAna;1;(21) 2555-1234"],
    ["DDI", "Nome;DDI;Telefone\nAna;999;2125551234"],
  ])("are named where they cannot be applied: %s of «%s»", (column, text) => {
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

  test("a row far down that cannot be joined is refused by itself", () => {
    const many = Array.from({ length: 60 }, (_, at) => `Ana;55;119876543${10 + at}`).join("\n");
    const rows = phones(
      `Nome;DDI;Telefone\n${many}\nBob;1;2125551234\nCid;999;2125551234\nBia;55;11987654399`,
    );
    expect(rows.slice(-3)).toEqual(["+12125551234", "row_split_phone", "11987654399"]);
  });

  test("keys of JSON are joined and named as columns are", () => {
    const row = (text: string) => readJsonRow(JSON.parse(text));
    expect(row('{"name":"Bob","countryCode":"1","phone":"2125551234"}')).toMatchObject({
      phone: "+12125551234",
    });
    expect(row('{"nome":"Ana","ddd":11,"telefone":"987654321"}')).toMatchObject({ phone: "11 987654321" });
    const wrong = '{"name":"Bob","countryCode":"999","phone":"2125551234"}';
    expect(row(wrong).error).toBe("row_split_phone");
    expect(() => refuseSplitKeys([JSON.parse(wrong)])).toThrow(
      expect.objectContaining({ code: "import_split_phone", details: { columns: "countryCode" } }),
    );
    refuseSplitKeys(
      JSON.parse('[{"name":"Ana","ddi":"55","phone":"11987654321"},{"name":"Bia","phone":"1"}]'),
    );
  });
});

describe("several numbers of a cell", () => {
  test.each([
    ["11 98765-4321 / 11 3333-4444", ["11 98765-4321", "11 3333-4444"]],
    ["+55 11 98765-4321 ::: +55 11 91234-5678", ["+55 11 98765-4321", "+55 11 91234-5678"]],
    ["Cel: 11 98765-4321 e fixo: 11 3333-4444", ["Cel: 11 98765-4321", "fixo: 11 3333-4444"]],
    ["11987654321;11912345678", ["11987654321", "11912345678"]],
    ["(49) 3333-4444/5555", ["(49) 3333-4444/5555"]],
    ["11 98765-4321 / 91234-5678", ["11 98765-4321 / 91234-5678"]],
    ["11 98765-4321", ["11 98765-4321"]],
  ])("«%s»", (cell, parts) => {
    expect(splitPhones(cell)).toEqual(parts);
  });

  test("the mobile one is taken and the others are counted; what cannot be parted is refused", () => {
    const text = "Nome;Telefone\nAna;11 3333-4444 / 11 98765-4321\nBia;11 98765-4321 / 91234-5678";
    const { layout, records } = recordsOf(text);
    expect(canonical(text)).toEqual(["5511987654321", "11 98765-4321 / 91234-5678"]);
    expect(furtherPhones(layout, records[0] ?? [])).toBe(1);
    expect(readPhone("11 98765-4321 / 91234-5678")).toEqual({ error: "phone_several" });
  });
});

describe("one of several phone columns", () => {
  test.each([
    ["IM08 an empty one", "Nome;Celular;Telefone\nAna;;11987654321"],
    ["IM08 a zero", "Nome;Celular;Telefone\nAna;0;11987654321"],
    ["IM08 a spreadsheet's error", "Nome;WhatsApp;Telefone\nAna;#DIV/0!;11987654321"],
    ["IM08 an unreadable one", "Nome;WhatsApp;Telefone\nAna;98765;11987654321"],
    ["a placeholder", "Nome;WhatsApp;Telefone\nAna;(00) 00000-0000;11987654321"],
    ["a placeholder that could exist", "Nome;WhatsApp;Telefone\nAna;11999999999;11987654321"],
    ["IM11 a link beside", "Nome;Telefone;WhatsApp\nAna;1133334444;https://wa.me/5511987654321"],
    ["a mobile behind a land line", "Nome;Telefone;Telefone 2\nAna;1133334444;11987654321"],
    ["a land line under mobile", "Nome;Celular;Telefone\nAna;1133334444;11987654321"],
    ["a land line under WhatsApp is believed", "Nome;Celular;WhatsApp\nAna;11912345678;11987654321"],
    ["the address's phone last", "Name,Default Address Phone,Phone\nAna,11912345678,11987654321"],
    ["its kind", "Nome;Tipo;Telefone;Tipo 2;Telefone 2\nAna;Fax;1133334444;Celular;11987654321"],
    ["its kind behind it", "Nome;Telefone 1;Tipo 1;Telefone 2;Tipo 2\nAna;1133334444;Casa;11987654321;Cel"],
    [
      "no fax, though it could be a mobile",
      "Nome;Tipo;Telefone;Tipo 2;Telefone 2\nAna;Fax;11912345678;Casa;11987654321",
    ],
    [
      "Google's kinds",
      "Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value\nAna,Work Fax,1133334444,Mobile,11987654321",
    ],
    [
      "a kind that says WhatsApp",
      "Nome;Tipo;Telefone;Tipo 2;Telefone 2\nAna;Casa;11912345678;WhatsApp;11987654321",
    ],
  ])("%s", (_, text) => {
    expect(canonical(text)).toEqual(["5511987654321"]);
  });
});

describe("26.8 several phones of a line", () => {
  test("IM25 a line of three and more phones without a name is a line of people", () => {
    const line = "+55 31 98833-5601; +55 31 98833-5602; +55 31 98833-5603";
    const odd = "+55 31 98833-5604; 123; +55 31 98833-5606; 9";
    const { layout, records } = recordsOf(`${line}\n`.repeat(60) + odd);
    expect(layout.everyCell).toBe(true);
    expect(lineOf(records[0]).map(({ error }) => error)).toEqual([null, null, null]);
    expect(lineOf(records.at(-1)).map(({ phone, error }) => error ?? phone.trim())).toEqual([
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
