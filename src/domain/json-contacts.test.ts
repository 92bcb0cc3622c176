import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ELEMENT_LIMIT, JsonListReader, readJsonRow, TOO_LONG } from "./json-contacts.ts";
import { JsonScanner } from "./json-scan.ts";
import { readPhone } from "./phone-foreign.ts";

function elements(text: string, size = text.length): unknown[] {
  const list: unknown[] = [];
  const reader = new JsonListReader((element) => void list.push(element));
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
  reader.end();
  return list;
}
const rows = (text: string) => elements(text).map(readJsonRow);
const code = (text: string) => {
  try {
    rows(text);
    return null;
  } catch (error) {
    return error;
  }
};

describe("pasted JSON", () => {
  test.each([
    ["J01 not JSON", "Ana, 11987654321", "json_invalid", { line: 1, column: 1 }],
    ["J02 trailing comma", '[\n{"name":"Ana","phone":"1"},\n]', "json_invalid", { line: 3, column: 1 }],
    ["J03 object", '{"name":"Ana","phone":"11987654321"}', "json_not_a_list", {}],
    ["J04 empty list", "[]", "json_not_a_list", {}],
    ["J05 list of texts", '["11987654321"]', "json_not_a_list", {}],
    ["J13 ten thousand brackets", "[".repeat(10_000) + "]".repeat(10_000), "json_not_a_list", {}],
    ["J13 never closed", "[".repeat(10_000), "json_invalid", { line: 1, column: 10_001 }],
  ])("%s", (_, text, expected, details) => {
    expect(code(text)).toMatchObject({ code: expected, details });
  });

  test("J06 keys by the names of columns; wrong ones leave the phone out", () => {
    expect(rows('[{"Nome":"Ana","Celular":"1"},{"foo":"x"}]')).toEqual([
      { name: "Ana", phone: "1", error: null },
      { name: "", phone: "", error: null },
    ]);
  });
  test("J06 a name in several keys is one, as in a file", () => {
    const read =
      rows(`[{"firstName":"Ana","lastName":"Lima","phone":"1"},{"nome":"Bia","sobrenome":"Reis","fone":"2"},
      {"name":"Cid Reis","first_name":"Cid","last_name":"Reis","phone":"3"},{"nome":"Davi","sobrenome":null,"fone":"4"}]`);
    expect(read.map(({ name }) => name)).toEqual(["Ana Lima", "Bia Reis", "Cid Reis", "Davi"]);
  });
  test("J06 of several keys for a phone the file's order counts, and a number beside a phone may be a house's", () => {
    const read = rows(`[{"nome":"Ana","numero":"123","telefone":"1","celular":"2"},
      {"nome":"Bia","numero":123,"telefone":3,"whatsapp":""},{"nome":"Cid","numero":"4","whatsapp":"sim"},{"nome":"Davi","fone":null}]`);
    expect(read.map(({ phone, error }) => error ?? phone)).toEqual(["2", "3", "4", "row_phone_type"]);
  });
  test("J07 a nested phone is refused", () => {
    expect(rows('[{"name":"Ana","phone":{"number":"1"}}]')).toEqual([
      { name: "Ana", phone: "{…}", error: "row_phone_type" },
    ]);
  });
  test("J08 a phone as a whole number is its digits", () => {
    expect(rows('[{"name":"Ana","phone":5511987654321}]')[0]).toMatchObject({
      phone: "5511987654321",
      error: null,
    });
  });
  test("J09 a number that lost its digits is refused", () => {
    const read = rows('[{"phone":1e400},{"phone":55119876543210000000},{"phone":1.5}]');
    expect(read.map(({ error }) => error)).toEqual(Array(3).fill("row_phone_type"));
  });
  test("J10 null, true and lists are refused", () => {
    const read = rows('[{"phone":null},{"phone":true},{"phone":["1"]},"x"]');
    expect(read.map(({ error }) => error)).toEqual([...Array(3).fill("row_phone_type"), "row_not_object"]);
  });
  test("J11 __proto__ and constructor are only names", () => {
    const read = rows('[{"__proto__":{"phone":"1"},"constructor":"x","name":"Ana"}]');
    expect(read).toEqual([{ name: "Ana", phone: "", error: null }]);
    expect(({} as { phone?: string }).phone).toBeUndefined();
  });
  test("J12 of equal keys the last counts", () => {
    expect(rows('[{"name":"Ana","phone":"1","phone":"2"}]')[0]).toMatchObject({ phone: "2" });
  });
});

describe("contacts of WhatsApp's libraries", () => {
  const people = (text: string) =>
    rows(text).map(({ name, phone, error }) => {
      const reading = readPhone(phone);
      return [name, error ?? ("error" in reading ? reading.error : reading.phone)];
    });
  test("IM43 Evolution's: addresses under remoteJid, groups and hidden ids refused", () => {
    expect(
      people(`[{"id":"c1","remoteJid":"5531988124001@s.whatsapp.net","pushName":"Iara","profilePicUrl":null},
        {"id":"c2","remoteJid":"553188124002@s.whatsapp.net","pushName":"Nilza"},
        {"id":"c3","remoteJid":"120363000000000123@g.us","pushName":"Turma"},
        {"id":"c4","remoteJid":"494681625791558@lid","pushName":"Ivo"}]`),
    ).toEqual([
      ["Iara", "5531988124001"],
      ["Nilza", "5531988124002"],
      ["Turma", "phone_group"],
      ["Ivo", "phone_hidden_id"],
    ]);
  });
  test.each([
    ["WPPConnect's", '{"id":{"user":"5531988124001","_serialized":"5531988124001@c.us"},"pushname":"Iara"}'],
    ["Baileys'", '{"id":"5531988124001@s.whatsapp.net","notify":"Iara"}'],
    ["a gateway's", '{"wa_id":"5531988124001","name":"Iara"}'],
    ["text that was encoded on its way", '{"nome":"I&#97;ra","telefone":"p:+5531988124001"}'],
    ["a readable number before others", '{"nome":"Iara","celular":"98812","telefone":"31988124001"}'],
  ])("%s", (_, item) => {
    expect(people(`[${item}]`)).toEqual([["Iara", "5531988124001"]]);
  });
  test("an id that is no address is no phone", () => {
    expect(people('[{"id":"31988124001","name":"Iara"}]')).toEqual([["Iara", "phone_missing"]]);
  });
});

const noise = fc.constantFrom(
  "",
  ",",
  "]",
  "}",
  '"',
  "x",
  "\\",
  "\\u00",
  "\u0001",
  "-",
  ".",
  " ",
  "\n",
  "1",
  "[",
  "{",
);
const broken = fc
  .tuple(fc.json(), fc.nat(), noise)
  .map(
    ([text, at, sign]) =>
      text.slice(0, at % (text.length + 1)) + sign + text.slice((at + 1) % (text.length + 1)),
  );

test("finds an error exactly where JSON.parse finds one, however the text is cut", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken), fc.integer({ min: 1, max: 9 }), (text, size) => {
      expect(scanned(text, size) === null).toBe(isJson(text));
      expect(scanned(text, size)).toEqual(scanned(text, text.length + 1));
    }),
    { numRuns: 3_000 },
  );
});

test("the error stands where the text that JSON.parse could still take ends", () => {
  expect(
    [
      '{"a":1,}',
      "[1 2]",
      "[tru]",
      "[12a]",
      '["a\\x"]',
      '["a\\u00',
      '["a',
      "[1,\n\n  ,2]",
      "",
      "[]]",
      "1-",
    ].map((text) => scanned(text, 2)),
  ).toEqual([
    [1, 8],
    [1, 4],
    [1, 2],
    [1, 4],
    [1, 4],
    [1, 4],
    [1, 4],
    [3, 3],
    [1, 1],
    [1, 3],
    [1, 2],
  ]);
});

test("27.4 elements are those of JSON.parse however the text is cut, and no more than one is kept", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(0, 1),
      (list, size, indent) => {
        const whole = [{ name: "Ana" }, ...list];
        const text = JSON.stringify(whole, null, indent);
        expect(elements(text, size)).toEqual(JSON.parse(text));
      },
    ),
  );
  const long = JSON.stringify([{ phone: "1" }, { phone: "x".repeat(ELEMENT_LIMIT) }, { phone: "2" }]);
  expect(elements(long, 1_000)).toEqual([{ phone: "1" }, TOO_LONG, { phone: "2" }]);
  expect(readJsonRow(TOO_LONG)).toEqual({ name: "", phone: "", error: "row_too_long" });
});

function scanned(text: string, size: number): unknown {
  const ignore = () => undefined;
  const scanner = new JsonScanner({ top: ignore, begin: ignore, text: ignore, end: ignore });
  try {
    for (let at = 0; at < text.length; at += size) scanner.push(text.slice(at, at + size));
    scanner.end();
    return null;
  } catch (error) {
    const { line, column } = (error as { details: { line: number; column: number } }).details;
    return [line, column];
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
