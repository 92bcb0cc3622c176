import { expect, test } from "vitest";
import { commentsOf, flaggedWords, languageErrors } from "../../scripts/language.ts";

test.each([
  ["// Nobody reads it.", ["nobody"]],
  ["const toldBefore = askAnew();", ["told", "anew"]],
  ["select * from deed", ["deed"]],
  ["const [fault, setDefault] = useState(someFaults);", ["fault", "faults"]],
  ["const NOBODYS_ROW = 1; const indeed = toldest;", []],
  ["const renewed = indeed(meantime);", []],
])("flagged words of %s", (line, expected) => {
  expect(flaggedWords(line)).toEqual(expected);
});

test("lines of one indent are one comment; a block ends at its mark", () => {
  const source = "// one\n// two\n  // three\nconst a = 1;\n/**\n * four\n * five\n */\n{/* six */}\n";
  expect(commentsOf(source).map(({ line, text }) => [line, text.trim().split(/\s+/).join(" ")])).toEqual([
    [1, "one two"],
    [3, "three"],
    [5, "four five"],
    [9, "six"],
  ]);
});

test("a comment over 40 words is an error; one of 40 is not", () => {
  const of = (words: number) => languageErrors("src/a.ts", `// ${"word ".repeat(words)}\n`);
  expect(of(40)).toEqual({ errors: [], words: 40 });
  expect(of(41).errors).toEqual([expect.stringContaining("src/a.ts:1 a comment of 41 words")]);
});
