import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { cleanName } from "../../domain/contact-name.ts";
import { CsvScanner } from "../../domain/csv-scan.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import { csvRows, inspectFile, nothingLeftOut, type OnRow } from "./import-source.ts";

afterEach(() => vi.restoreAllMocks());

function searched(work: () => void): number {
  let sum = 0;
  const { indexOf } = String.prototype;
  vi.spyOn(String.prototype, "indexOf").mockImplementation(function (this: string, sign, from = 0) {
    const at = indexOf.call(this, sign, from);
    sum += (at === -1 ? this.length : at) - from;
    return at;
  });
  work();
  vi.restoreAllMocks();
  return sum;
}

test.each([
  ["lines that a carriage return alone ends", "7\r"],
  ["blank lines", "\n"],
  ["lines without a separator", "7\n"],
  ["lines that end in both ways", "7\r7\n"],
  ["quotes", '"7"\r'],
])("27.4 reading CSV costs as much as it is long, whatever is in it: %s", (_, line) => {
  const text = line.repeat(20_000);
  let records = 0;
  const handlers = { record: () => void records++, tooLong: () => undefined };
  const work = searched(() => {
    const scanner = new CsvScanner(";", handlers);
    scanner.push(text);
    scanner.end();
  });
  expect(records).toBeGreaterThanOrEqual(20_000);
  expect(work).toBeLessThan(8 * text.length);
});

test("27.4 a name of thirty thousand marks is refused without being composed", () => {
  let longest = 0;
  const { normalize } = String.prototype;
  vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
    longest = Math.max(longest, this.length);
    return normalize.call(this, form);
  });
  expect(cleanName(`a${"\u0301\u0323".repeat(15_000)}`)).toEqual({ error: "row_name_too_long" });
  expect(cleanName("\u3164".repeat(30_000))).toEqual({ name: "" });
  expect(cleanName(`${"e\u0301".repeat(120)}  `)).toEqual({ name: "é".repeat(120) });
  expect(longest).toBeLessThan(2_000);
});

test.each([
  ["in lines of their own", "Ana;+1 212 555 1234\n", "Nome;Telefone\n"],
  ["in one line", "+1 212 555 1234,", ""],
])("27.4 others are served while the phones of one piece of a file are read: %s", async (_, row, header) => {
  const line = row.repeat(Math.floor(60_000 / row.length));
  const file = written(
    `${header}${"+1 212 555 1234,+1 212 555 1234,+1 212 555 1234\n".repeat(header ? 0 : 60)}${line}\n`,
  );
  let served = 0;
  let reading = true;
  const serve = () => {
    served++;
    if (reading) setImmediate(serve);
  };
  const servedAt: number[] = [];
  setImmediate(serve);
  const onRow: OnRow = (_row, _name, phone) => {
    readPhone(phone);
    servedAt.push(served);
  };
  const rows = csvRows(file, await inspectFile(file))(onRow, nothingLeftOut());
  for await (const _bytes of rows);
  reading = false;
  expect(servedAt.length).toBeGreaterThan(2_000);
  const half = servedAt.slice(servedAt.length / 2);
  expect((half.at(-1) ?? 0) - (half[0] ?? 0)).toBeGreaterThan(0);
});

function written(text: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-reading-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "list.csv");
  fs.writeFileSync(file, text);
  return file;
}
