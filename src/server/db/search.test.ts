import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { holdsWords, phonePattern } from "./search.ts";

const { db } = await testDatabase();

async function found(text: string, words: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${holdsWords("t.name", words)} as found from (select ${text}::text as name) t`.execute(db);
  return rows[0]?.found === true;
}

test.each([
  ["Conceição", "conceicao"],
  ["CONCEIÇÃO", "Conceição"],
  ["João da Silva", "ao DA s"],
  ["Promoção 100% (só hoje)", "100% (so"],
  ["a.b*c+d?[e]{f}^$|\\", ".b*C+d?[E]{f}^$|\\"],
  ["Ünal Łukasz", "unal łuk"],
  ["Aviso Nő", "NŐ"],
  ["Иван", "иван"],
  ["👨‍👩‍👧 Souza", "👨‍👩‍👧 sou"],
  ["snake_case", "e_c"],
])("%s holds %s", async (text, words) => {
  expect(await found(text, words)).toBe(true);
});

test.each([
  ["Conceição", "conceição x"],
  ["abc", "a.c"],
  ["abc", "a%c"],
  ["abc", "a_c"],
  ["abc", "[abc]"],
])("%s does not hold %s", async (text, words) => {
  expect(await found(text, words)).toBe(false);
});

test("any three digits may mean a phone, words may not", () => {
  expect(phonePattern("(31) 9023-4")).toBe("%3190234%");
  expect(phonePattern("12")).toBeNull();
  expect(phonePattern("rua 123")).toBeNull();
});

test.each([
  ["as it was before the ninth digit, with which it is saved", "(31) 8765-4321", 5_531_987_654_321],
  ["the same with its country", "+55 31 8765-4321", 5_531_987_654_321],
  ["with the zero of old", "031 98765-4321", 5_531_987_654_321],
  ["with a zero in the middle", "+55 (0)31 98765-4321", 5_531_987_654_321],
  [
    "as a page or Windows' contacts give it",
    "\u202a+55\u00a031\u00a098765\u20114321\u202c",
    5_531_987_654_321,
  ],
  ["another country's, that begins like one of here", "41 79123456", 41_791_234_567],
  ["another country's, as an exported list has it", "00 351 912345678", 351_912_345_678],
  ["another country's, as pages show it", "+351 912 345 678", 351_912_345_678],
])("a phone is found by its number %s", async (_way, words, phone) => {
  const { rows } = await sql<{ found: boolean }>`
    select ${phone}::bigint::text like ${phonePattern(words)} as found`.execute(db);
  expect(rows).toEqual([{ found: true }]);
});
