import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type VCard, VCardReader } from "./vcard.ts";

function cardsOf(text: string, size = text.length + 1): VCard[] {
  const cards: VCard[] = [];
  const reader = new VCardReader((card) => void cards.push(card));
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
  reader.end();
  return cards;
}
const card = (...lines: string[]) => ["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD"].join("\r\n");
const phonesOf = (...lines: string[]) => cardsOf(card("FN:Ana", ...lines))[0]?.phones;
const nameOf = (...lines: string[]) => cardsOf(card(...lines, "TEL:1"))[0]?.name;

describe("phones", () => {
  test("a mobile comes before others, faxes are left out", () => {
    expect(
      phonesOf("TEL;TYPE=HOME:3133334444", "TEL;TYPE=FAX,WORK:3133335555", "TEL;TYPE=CELL,VOICE:31988124001"),
    ).toEqual(["31988124001", "3133334444"]);
  });
  test.each([
    ["2.1", "TEL;CELL;PREF:31988124001"],
    ["a group", "item1.TEL;type=pref:31988124001"],
    ["lower case", "tel;type=cell:31988124001"],
  ])("%s", (_, line) => {
    expect(phonesOf(line)).toEqual(["31988124001"]);
  });
  test("an address of 4.0 keeps its scheme, which a phone's reader knows", () => {
    expect(phonesOf('TEL;VALUE=uri;TYPE="voice,cell":tel:+55-31-98812-4001')).toEqual([
      "tel:+55-31-98812-4001",
    ]);
  });
  test("WhatsApp's own number counts before the written one", () => {
    expect(phonesOf("TEL;TYPE=CELL;waid=5531988124001:98812-4001")).toEqual(["+5531988124001"]);
  });
  test("none", () => {
    expect(phonesOf("EMAIL:a@b.c")).toEqual([]);
  });
});

describe("names", () => {
  test.each([
    ["the formatted one", ["N:Lima;Ana;;;", "FN:Ana Lima"], "Ana Lima"],
    ["its parts", ["N:Lima;Ana;Maria;Dra.;", "FN:"], "Dra. Ana Maria Lima"],
    ["a company's", ["ORG:Padaria Sol;Vendas"], "Padaria Sol"],
    ["escaped signs", ["FN:Lima\\, Ana\\; filha"], "Lima, Ana; filha"],
    ["an escaped separator", ["N:Lima\\; Reis;Ana;;;"], "Ana Lima; Reis"],
    ["a folded line", ["FN:Ana Ma", " ria Lima"], "Ana Maria Lima"],
    [
      "quoted-printable",
      ["FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jo=C3=A3o Concei=", "=C3=A7=C3=A3o"],
      "João Conceição",
    ],
    ["quoted-printable in ISO-8859-1", ["FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Jo=E3o"], "João"],
    [
      "quoted-printable parts",
      ["N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Concei=C3=A7=C3=A3o;Jo=C3=A3o;;;"],
      "João Conceição",
    ],
  ])("%s", (_, lines, name) => {
    expect(nameOf(...lines)).toBe(name);
  });
});

test("a photograph is passed over, whatever its length", () => {
  const photo = `PHOTO;ENCODING=b:${"QUJD".repeat(100_000)}\r\n ${"QUJD".repeat(100_000)}`;
  expect(cardsOf(card("FN:Ana", photo, "TEL:31988124001"))).toEqual([
    { name: "Ana", phones: ["31988124001"], email: "", company: "" },
  ]);
});

test("a card within a card is its own", () => {
  const text = card("FN:Ana", "AGENT:", "BEGIN:VCARD", "FN:Bia", "TEL:2", "END:VCARD", "TEL:1");
  expect(cardsOf(text)).toMatchObject([{ name: "Ana", phones: ["1"] }]);
});

test("a card without its end is kept, and text outside is not", () => {
  expect(cardsOf("TEL:9\r\nBEGIN:VCARD\r\nFN:Ana\r\nTEL:1")).toMatchObject([{ name: "Ana", phones: ["1"] }]);
});

test("cards are the same however the text is cut", () => {
  const line = fc.constantFrom(
    ...[
      "BEGIN:VCARD",
      "END:VCARD",
      "FN:Ana",
      "TEL;CELL:1",
      " folded",
      "FN;QUOTED-PRINTABLE:=C3=",
      "=A3",
      "",
      "x:y",
    ],
  );
  const end = fc.constantFrom("\r\n", "\n");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, end), { maxLength: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (lines, size) => {
        const text = lines.map(([one, sign]) => one + sign).join("");
        expect(cardsOf(text, size)).toEqual(cardsOf(text));
      },
    ),
    { numRuns: 2_000 },
  );
});
