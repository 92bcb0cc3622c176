import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEncodedTwice, plainText } from "./text-repair.ts";

const twice = (text: string) => new TextDecoder("windows-1252").decode(Buffer.from(text));

describe("UTF-8 encoded twice", () => {
  test.each([
    "João",
    "JOÃO",
    "Conceição",
    "Antônio D’Ávila",
    "Zé 😀",
    "Müller",
    "2º andar",
    "Łukasz",
    "Nguyễn",
  ])("«%s» is restored", (name) => {
    expect(isEncodedTwice(twice(name))).toBe(true);
    expect(plainText(twice(name))).toBe(name);
  });
  test.each([
    "João",
    "JOÃO",
    "IRMÃ DULCE",
    "IRMÃ\u00a0DULCE",
    "Â",
    "José º º",
    "Ação “Bem”",
    "naïve",
    "Crème brûlée",
  ])("«%s» stays", (name) => {
    expect(plainText(name)).toBe(name);
  });
  test("names of Latin letters are never changed, and come back from twice", () => {
    const name = fc.string({ unit: fc.constantFrom(..."aãáâéêíóôõúüçAÃÁÂÉÇÕÚ '-ñÑ"), maxLength: 30 });
    fc.assert(
      fc.property(name, (text) => {
        expect(plainText(text)).toBe(text);
        expect(plainText(twice(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["Jo&atilde;o", "João"],
  ["JO&Atilde;O", "JOÃO"],
  ["Silva &amp; Filhos", "Silva & Filhos"],
  ["D&#39;&#xC1;vila", "D'Ávila"],
  ["A&nbsp;B", "A B"],
  ["&ccedil;&ordm;&uuml;", "çºü"],
  ["A & B; C &x; &#0; &#xD800;", "A & B; C &x; &#0; &#xD800;"],
  ["&notanentity;", "&notanentity;"],
])("HTML entities: «%s» is «%s»", (cell, text) => {
  expect(plainText(cell)).toBe(text);
});
