import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/* docs/bad-input.md names a test for each kind of bad input; checks that none is missing and that those tests
   exist. */

const ROOT = path.join(import.meta.dirname, "..");
const KINDS = { C: 47, J: 14, P: 29, I: 20, T: 18, S: 18, N: 8, U: 26, W: 18, A: 24, H: 25 };

const idsOf = (kind: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${kind}${String(from + at).padStart(2, "0")}`);

const rows = fs
  .readFileSync(path.join(ROOT, "docs/bad-input.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, id, files] = /^\| ([A-Z]\d\d) \| .+ \| (.+) \|$/.exec(line) ?? [];
    return id && files
      ? [{ id, files: Array.from(files.matchAll(/`([^`]+)`/g), (match) => match[1] ?? "") }]
      : [];
  });

function idsIn(source: string): Set<string> {
  const code = source.replace(/^\s*(\/?\*|\/\/).*$/gm, "");
  const found = code.matchAll(/(?<![\w:-])([CJPITSNUWAH])(\d\d)(?:[–-]\1?(\d\d))?(?![\w:])/g);
  return new Set(
    [...found].flatMap(([, kind = "", from, to = from]) => idsOf(kind, Number(from), Number(to))),
  );
}

test("the table has every id once, in order", () => {
  const all = Object.entries(KINDS).flatMap(([kind, cases]) => idsOf(kind, 1, cases));
  expect(all).toHaveLength(247);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(all.toSorted());
});

test("every file it names is a test that holds the id", () => {
  const known = new Map<string, Set<string>>();
  const held = (file: string) => {
    const ids = known.get(file) ?? idsIn(fs.readFileSync(path.join(ROOT, file), "utf8"));
    known.set(file, ids);
    return ids;
  };
  const untrue = rows.flatMap(({ id, files }) =>
    files
      .filter((file) => !/\.(test|spec)\.tsx?$/.test(file) || !held(file).has(id))
      .map((file) => `${id}: ${file}`),
  );
  expect(untrue).toEqual([]);
  expect(rows.every(({ files }) => files.length > 0)).toBe(true);
});

test("an id in a comment, in a date or in a colour proves nothing", () => {
  const source =
    '// C01 in words\ntest("C02–C04 and W05, H07–09", f);\nconst at = "2026-11-20T08:00"; const id = "xA01";';
  expect([...idsIn(source)]).toEqual(["C02", "C03", "C04", "W05", "H07", "H08", "H09"]);
});
