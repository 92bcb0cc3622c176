import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isWritten } from "../scripts/conformance-table.ts";
import { KINDS } from "./faults/kinds.ts";

/* docs/faults.md names a proof for each fault; checks that none is missing and that the proofs exist. */

const ROOT = path.join(import.meta.dirname, "..");
const FAULTS = 46;
const KNOWN_RUNS = Object.keys(KINDS);

type Cell = { text: string; proofs: { file: string; name: string }[]; runs: string[] };
type Row = { id: string; what: string; cells: Cell[] };

function readTable(markdown: string): Row[] {
  return markdown.split("\n").flatMap((line) => {
    const [id = "", what = "", ...cells] = line
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
    return /^F\d+$/.test(id) ? [{ id, what, cells: cells.map(readCell) }] : [];
  });
}

function readCell(text: string): Cell {
  const proofs = Array.from(text.matchAll(/`([^`]+?) › ([^`]+)`/g), ([, file = "", name = ""]) => ({
    file,
    name: name.replace(/^… > /, ""),
  }));
  const outside = text.replaceAll(/`[^`]*`/g, "");
  return { text, proofs, runs: Array.from(outside.matchAll(/run: ([\w-]+)/g), ([, kind = ""]) => kind) };
}

function tableFaults(rows: readonly Row[], sourceOf: (file: string) => string): string[] {
  const ids = rows.map(({ id }) => id);
  const missing = Array.from({ length: FAULTS }, (_, at) => `F${at + 1}`).filter((id) => !ids.includes(id));
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const rest = rows.flatMap(({ id, what, cells: [device, gateway, ...more] }) => {
    if (!device || !gateway || more.length > 0 || what.length < 20) return [`${id} is not whole`];
    const faults: string[] = [];
    const proves = ({ proofs, runs }: Cell) => proofs.length + runs.length > 0;
    const reasoned = ({ text }: Cell) => /^Does not apply: .{20}/.test(text);
    if (!proves(device) && !reasoned(device)) faults.push(`${id} proves nothing for devices`);
    if (!proves(gateway) && !reasoned(gateway) && !(gateway.text === "The same" && proves(device)))
      faults.push(`${id} proves nothing for gateways`);
    for (const { proofs, runs } of [device, gateway]) {
      for (const { file, name } of proofs)
        if (!isWritten(name, sourceOf(file))) faults.push(`${id}: no test ${file} › ${name}`);
      for (const run of runs) if (!KNOWN_RUNS.includes(run)) faults.push(`${id}: no run ${run}`);
    }
    return faults;
  });
  return [...missing.map((id) => `${id} is missing`), ...twice.map((id) => `${id} stands twice`), ...rest];
}

function sourceOf(file: string): string {
  const whole = path.join(ROOT, file);
  return fs.existsSync(whole) ? fs.readFileSync(whole, "utf8") : "";
}

describe("docs/faults.md", () => {
  test("has every fault, and names tests and runs that exist", () => {
    const rows = readTable(fs.readFileSync(path.join(ROOT, "docs", "faults.md"), "utf8"));
    expect(tableFaults(rows, sourceOf)).toEqual([]);
  });
});

test("the check sees rows that are missing, empty, or name what is not there", () => {
  const what = "something goes wrong, and is mended";
  const rows = (...lines: string[]) => readTable(lines.map((line) => `| ${line} |`).join("\n"));
  const whole = Array.from(
    { length: FAULTS - 1 },
    (_, at) => `F${at + 2} | ${what} | run: device | The same`,
  );
  const seen = (line: string) => tableFaults(rows(line, ...whole), () => 'test("survives", f)');
  expect(seen(`F1 | ${what} | \`a.test.ts › survives\` | run: gateway`)).toEqual([]);
  expect(tableFaults(rows(...whole), () => "")).toEqual(["F1 is missing"]);
  expect(seen(`F2 | ${what} | run: device | The same`)).toEqual(["F1 is missing", "F2 stands twice"]);
  expect(seen(`F1 | ${what} | The same | The same`)).toHaveLength(2);
  expect(seen(`F1 | ${what} | run: device | Does not apply: no`)).toEqual(["F1 proves nothing for gateways"]);
  expect(seen(`F1 | ${what} | run: nothing | \`a.test.ts › dies\``)).toEqual([
    "F1: no run nothing",
    "F1: no test a.test.ts › dies",
  ]);
});
