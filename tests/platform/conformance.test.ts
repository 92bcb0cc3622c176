import fs from "node:fs";
import { expect, test } from "vitest";
import { marksOf, statementsOf, titlesOf } from "../../scripts/conformance.ts";

test("statements are bullets, paragraphs and table rows, numbered within their chapter", () => {
  const page = "Intro.\n\n## 5. Rules\n\n- One.\n\n| A | B |\n|---|---|\n| x | y |\n\n### Login\n\n1. Two.\n";
  expect(statementsOf(page).map(({ number, text }) => `${number} ${text}`)).toEqual([
    "0.1 Intro.",
    "5.1 One.",
    "5.2 x | y",
    "5.3 Two.",
  ]);
});

test("marks are read from titles on the line of the call or on a line of their own", () => {
  const source =
    'test("a @spec 5.3,5.7 @decision 9", () => {});\ntest.each([])(\n  "b @spec 1.2",\n  () => {},\n);\n';
  const titles = titlesOf(source);
  expect(titles).toEqual(["a @spec 5.3,5.7 @decision 9", "b @spec 1.2"]);
  expect(titles.map((title) => [marksOf(title, "spec"), marksOf(title, "decision")])).toEqual([
    [["5.3", "5.7"], ["9"]],
    [["1.2"], []],
  ]);
});

test("marks name statements that the specification has", () => {
  const known = new Set(
    statementsOf(fs.readFileSync("docs/spec/product-spec.md", "utf8")).map(({ number }) => number),
  );
  const files = fs
    .globSync("{src,simulators,tests}/**/*.{test,spec}.{ts,tsx}")
    .filter((file) => !file.endsWith("conformance.test.ts"));
  const marks = files.flatMap((file) =>
    titlesOf(fs.readFileSync(file, "utf8")).flatMap((title) => marksOf(title, "spec")),
  );
  expect(marks.filter((mark) => !known.has(mark))).toEqual([]);
  expect(new Set(marks).size).toBeGreaterThan(190);
});
