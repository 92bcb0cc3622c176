import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonList, readJsonRow } from "./json-contacts.ts";
import { jsonFault } from "./json-fault.ts";

const rows = (text: string) => parseJsonList(text).map(readJsonRow);
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
      { name: "Ana", phone: "1", fault: null },
      { name: "", phone: "", fault: null },
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
    expect(read.map(({ phone, fault }) => fault ?? phone)).toEqual(["2", "3", "4", "row_phone_type"]);
  });
  test("J07 a nested phone is refused", () => {
    expect(rows('[{"name":"Ana","phone":{"number":"1"}}]')).toEqual([
      { name: "Ana", phone: "{…}", fault: "row_phone_type" },
    ]);
  });
  test("J08 a phone as a whole number is its digits", () => {
    expect(rows('[{"name":"Ana","phone":5511987654321}]')[0]).toMatchObject({
      phone: "5511987654321",
      fault: null,
    });
  });
  test("J09 a number that lost its digits is refused", () => {
    const read = rows('[{"phone":1e400},{"phone":55119876543210000000},{"phone":1.5}]');
    expect(read.map(({ fault }) => fault)).toEqual(Array(3).fill("row_phone_type"));
  });
  test("J10 null, true and lists are refused", () => {
    const read = rows('[{"phone":null},{"phone":true},{"phone":["1"]},"x"]');
    expect(read.map(({ fault }) => fault)).toEqual([...Array(3).fill("row_phone_type"), "row_not_object"]);
  });
  test("J11 __proto__ and constructor are only names", () => {
    const read = rows('[{"__proto__":{"phone":"1"},"constructor":"x","name":"Ana"}]');
    expect(read).toEqual([{ name: "Ana", phone: "", fault: null }]);
    expect(({} as { phone?: string }).phone).toBeUndefined();
  });
  test("J12 of equal keys the last counts", () => {
    expect(rows('[{"name":"Ana","phone":"1","phone":"2"}]')[0]).toMatchObject({ phone: "2" });
  });
});

test("finds a fault exactly where JSON.parse finds one", () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "]", "}", '"', "x", "\\", "\u0001", "-", ".", " "))
    .map(
      ([text, at, noise]) =>
        text.slice(0, at % (text.length + 1)) + noise + text.slice((at + 1) % (text.length + 1)),
    );
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      expect(jsonFault(text) === null).toBe(valid);
    }),
    { numRuns: 3_000 },
  );
});
