import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { fromPlaywright, fromVitest, proofFaults } from "../scripts/conformance-results.ts";
import {
  allRows,
  compareQuotes,
  decisionsOf,
  FOLDER,
  isWritten,
  type Piece,
  piecesOf,
  readRows,
  rowErrors,
  unquotedWords,
} from "../scripts/conformance-table.ts";

/* docs/conformance quotes each statement of docs/spec beside its tests. Checks that quotes are exact, nothing
   is left out and the tests exist; the last step of `npm test` checks that they ran. */

const read = (page: string) => fs.readFileSync(path.join(FOLDER, "spec", `${page}.md`), "utf8");
const rows = allRows();
const spec = piecesOf(read("product-spec"));
const decisions = decisionsOf(read("decisions"));
const aboutDecisions = rows.filter(({ page }) => page === "decisions");
const aboutSpec = rows.filter(({ page }) => page !== "decisions");

describe("docs/conformance", () => {
  test("quotes the specification letter by letter, and every word of it", () => {
    const quoted = compareQuotes(spec, aboutSpec);
    expect(quoted.faults).toEqual([]);
    expect(unquotedWords(spec, quoted)).toEqual([]);
    expect(aboutSpec.length).toBeGreaterThan(250);
  });

  test("quotes each decision letter by letter, and every word of it", () => {
    const quoted = compareQuotes(decisions, aboutDecisions);
    expect(quoted.faults).toEqual([]);
    expect(unquotedWords(decisions, quoted)).toEqual([]);
    expect(decisions).toHaveLength(36);
    const known = new Set(decisions.map(({ heading }) => Number(heading.replace("Decision ", ""))));
    const named = new Set(rows.flatMap((row) => row.decisions));
    expect([...named].filter((number) => !known.has(number))).toEqual([]);
  });

  test("has no row twice and none that is empty; few statements cannot be checked, and say why", () => {
    expect(rowErrors(rows)).toEqual([]);
    expect(rows.filter(({ page }) => page === "not-checkable").length).toBeLessThan(12);
  });

  test("names tests that are written where it says", () => {
    const sources = new Map<string, string>();
    const sourceOf = (file: string) => {
      const whole = path.join(FOLDER, "..", file);
      const known = sources.get(file) ?? (fs.existsSync(whole) ? fs.readFileSync(whole, "utf8") : "");
      sources.set(file, known);
      return known;
    };
    const unwritten = rows.flatMap(({ id, proofs }) =>
      proofs
        .filter(({ file, name }) => !isWritten(name, sourceOf(file)))
        .map(({ file, name }) => `${id}: ${file} › ${name}`),
    );
    expect(unwritten).toEqual([]);
  });
});

describe("the checks see", () => {
  const page =
    "## Login\n\n- Fields: email, password.\n- Button 'Entrar'.\n\n| A | B |\n|---|---|\n| x | `y` or z |\n";
  const pieces: Piece[] = piecesOf(page);
  const table = (...lines: string[]) => readRows("2-screens", ["## Login", ...lines].join("\n"));
  const row = (id: string, quote: string, how = "`a.test.ts › works`") => `| ${id} | ${quote} | ${how} |`;

  test("bullets and table rows, without a table's head", () => {
    expect(pieces.map(({ text }) => text)).toEqual([
      "Fields: email, password.",
      "Button 'Entrar'.",
      "x | `y` or z",
    ]);
  });

  test("what is quoted wrong, under another heading, or not at all", () => {
    const quoted = compareQuotes(
      pieces,
      table(row("2.1", "Fields: email, password."), row("2.2", "Button 'entrar'."), row("2.3", "x \\| `y`")),
    );
    expect(quoted.faults).toEqual(["2.2: «Button 'entrar'.» does not stand under «Login»"]);
    expect(unquotedWords(pieces, quoted)).toEqual([
      "no row quotes «Button 'Entrar'.» under «Login»",
      "no row quotes «or z» under «Login»",
    ]);
    const elsewhere = readRows("2-screens", `## Signup\n${row("2.1", "Button 'Entrar'.")}`);
    expect(compareQuotes(pieces, elsewhere).faults).toHaveLength(1);
  });

  test("rows that stand twice, prove nothing, or give no reason", () => {
    expect(rowErrors(table(row("2.1", "a"), row("2.1", "b"), row("2.2", "c", "Decision 3")))).toEqual([
      "2.1 stands twice",
      "2.2 is empty",
    ]);
    expect(rowErrors(readRows("not-checkable", row("N.1", "a", "no")))).toEqual(["N.1 is empty"]);
    expect(
      table(row("2.1", "a", "Decision 3, Decision 17<br>`a.test.ts › b > c`<br>`d.ts › e`")),
    ).toMatchObject([
      {
        decisions: [3, 17],
        proofs: [
          { file: "a.test.ts", name: "b > c" },
          { file: "d.ts", name: "e" },
        ],
      },
    ]);
  });

  test("names that no test has, and cases of a table as their test writes them", () => {
    const source = `describe("list", () => { test.each(cases)("S%s: %j is refused", f); test('it\\'s', f); test(\`\${a} of b\`, f) })`;
    for (const name of ["list > S01: -1 is refused", "it's", "1 of b", "list > S01: … is refused"])
      expect(isWritten(name, source), name).toBe(true);
    for (const name of ["lists > it's", "its", "S01 is refused", "… of c"])
      expect(isWritten(name, source), name).toBe(false);
  });

  test("what did not run, was skipped or failed in both runners' reports", () => {
    const one = (title: string, status: string) => ({ ancestorTitles: ["deep"], title, status });
    const vitest = fromVitest(
      {
        testResults: [
          { name: "/p/src/a.test.ts", assertionResults: [one("runs", "passed"), one("waits", "skipped")] },
        ],
      },
      "/p",
    );
    const specOf = (title: string, ok: boolean, status: string) => ({ title, ok, tests: [{ status }] });
    const browser = fromPlaywright(
      {
        config: { rootDir: "/p/tests/e2e" },
        suites: [
          {
            title: "b.spec.ts",
            file: "b.spec.ts",
            specs: [
              specOf("shows", true, "expected"),
              specOf("breaks", false, "unexpected"),
              specOf("rests", true, "skipped"),
            ],
          },
        ],
      },
      "/p",
    );
    const judged = (file: string, name: string) =>
      proofFaults(table(row("2.1", "x", `\`${file} › ${name}\``)), [...vitest, ...browser]);
    expect(judged("src/a.test.ts", "deep > runs")).toEqual([]);
    expect(judged("tests/e2e/b.spec.ts", "shows")).toEqual([]);
    expect(judged("src/a.test.ts", "deep > …")).toEqual(["2.1: did not pass: src/a.test.ts › deep > waits"]);
    expect(judged("src/a.test.ts", "runs")).toEqual(["2.1: did not run: src/a.test.ts › runs"]);
    for (const name of ["breaks", "rests"])
      expect(judged("tests/e2e/b.spec.ts", name)).toEqual([
        `2.1: did not pass: tests/e2e/b.spec.ts › ${name}`,
      ]);
  });
});
