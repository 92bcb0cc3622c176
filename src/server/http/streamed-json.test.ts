import fc from "fast-check";
import { expect, test } from "vitest";
import { StreamedJson } from "./streamed-json.ts";

type Read = { text: string; fields: unknown; found: boolean };

async function read(body: string | Uint8Array, size = 7): Promise<Read> {
  const bytes = Buffer.from(body);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const json = new StreamedJson(pieces(), "list", (value) => value);
  const text: Uint8Array[] = [];
  for await (const piece of json.text()) text.push(piece);
  return { text: Buffer.concat(text).toString(), fields: json.fields(), found: json.isFound() };
}

const said = fc.string({ unit: "grapheme" }).filter((text) => text.isWellFormed() && !text.includes("\0"));
const escaped = (text: string) =>
  JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

test("27.4 a text comes as what it says, however it is written and cut", async () => {
  await fc.assert(
    fc.asyncProperty(said, fc.boolean(), fc.integer({ min: 1, max: 9 }), async (text, asEscapes, size) => {
      const list = asEscapes ? escaped(text) : JSON.stringify(text);
      const got = await read(`{"name":${JSON.stringify(text)}, "list" : ${list},"more":[1,{"a":2}]}`, size);
      expect(got).toEqual({ text, fields: { name: text, more: [1, { a: 2 }] }, found: true });
    }),
  );
});

test("a list comes as it is written", async () => {
  const list = '[ {"name":"Jos\\u00e9", "phone": 1.50}, "]}" ]';
  expect(await read(`{"list":${list},"name":null}`)).toEqual({
    text: list,
    fields: { name: null },
    found: true,
  });
  expect(await read('{"list":null}')).toMatchObject({ text: "null", found: true });
  expect(await read('{"__proto__":{"a":1}}')).toEqual({
    text: "",
    fields: Object.fromEntries([["__proto__", { a: 1 }]]),
    found: false,
  });
});

test.each([
  ["no JSON", "x"],
  ["nothing", ""],
  ["something behind", '{"list":[]} {}'],
  ["not to its end", '{"list":[1,'],
  ["the field twice", '{"list":[],"list":[{}]}'],
  ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
])("%s is no request", async (_, body) => {
  await expect(read(body)).rejects.toMatchObject({ code: "invalid_request" });
});

test.each([
  ["half a character", '{"list":"a\\ud83d"}', "list"],
  ["half a character in the middle", '{"list":"\\ud83dx"}', "list"],
  ["NUL", '{"list":"\\u0000"}', "list"],
  ["NUL in another field", '{"name":"\\u0000"}', "name"],
])("%s is refused at its field", async (_, body, field) => {
  await expect(read(body)).rejects.toMatchObject({
    code: "invalid_fields",
    details: { fields: { [field]: "invalid_text" } },
  });
});

test("of other fields no more is kept than a form has", async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `"f${at}":1`).join();
  expect(Object.keys((await read(`{${many}}`, 4_096)).fields as object)).toHaveLength(40);
  await expect(read(`{"name":"${"x".repeat(70_000)}"}`, 4_096)).rejects.toMatchObject({
    code: "payload_too_large",
  });
  expect((await read("[]")).fields).toBeNull();
});
