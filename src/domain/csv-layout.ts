import {
  furtherNames,
  isAreaCodeHeader,
  isCountryCodeHeader,
  isNameHeader,
  isOtherNumberHeader,
  isOtherTextHeader,
  isPhoneHeader,
  joinedName,
  namedColumns,
} from "./csv-header.ts";
import { CsvScanner } from "./csv-scan.ts";
import { unguardCell } from "./csv-write.ts";
import { AppError } from "./errors.ts";
import { greetingName } from "./greeting-name.ts";
import type { PhoneError } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";
import { countFurther, lacksItsCode, type PhoneParts } from "./split-phone.ts";

/** Columns count from 0; `name` is -1 in a file of phones only. */
export type CsvLayout = {
  separator: string;
  skip: number;
  header: boolean;
  name: number;
  moreNames: readonly number[];
  /** By trust: WhatsApp, mobile, any. The first with a digit counts, else the first non-empty one. */
  phones: readonly number[];
  /** Phone column to its separate DDD column. */
  ddds: ReadonlyMap<number, number>;
  countries: readonly number[];
  areas: readonly number[];
  everyCell: boolean;
  otherPhones: readonly number[];
  unused: readonly string[];
  /** Content beyond these columns means one separator too many. */
  columns: number;
};

const SEPARATORS = [";", "\t", ","] as const;
const SAMPLE_RECORDS = 50;
/** 64 KB may hold thirty thousand cells. */
const SAMPLE_CELLS = 256;
/** Limit over all samples, since a cell may be parsed several times. */
const SAMPLE_ALL_CELLS = 1_000;
const SAMPLE_LEAST_RECORDS = 3;

/**
 * Reads a file's first 64 KB. Throws `import_empty`, `import_no_phone_column`, `import_duplicate_header`,
 * `import_unclosed_quote`; `import_split_phone` for unassignable code columns.
 */
export function detectLayout(text: string, complete: boolean): CsvLayout {
  const declared = /^\s*"?sep=(.)"?\r?(\n|$)/i.exec(text);
  const candidates = declared?.[1] ? [declared[1]] : SEPARATORS;
  const best = candidates
    .map((separator) => ({ separator, records: sample(text, separator, complete) }))
    .map((candidate) => ({ ...candidate, score: score(candidate.records) }))
    .reduce((a, b) => (b.score > a.score ? b : a));
  const below = declared ? best.records.slice(1) : best.records;
  const records = below.slice(titleLines(below));
  const [first] = records;
  if (!first) throw new AppError("import_empty");
  return { separator: best.separator, ...columnsOf(records, first) };
}

type Sampled = { cells: string[]; row: number };

const ENOUGH = Symbol("enough");

function sample(text: string, separator: string, complete: boolean): Sampled[] {
  const records: Sampled[] = [];
  let seen = 0;
  const scanner = new CsvScanner(separator, {
    record(cells, row) {
      if (isBlank(cells)) return;
      records.push({ cells, row });
      seen += Math.min(cells.length, SAMPLE_CELLS);
      const isFull = seen > SAMPLE_ALL_CELLS && records.length >= SAMPLE_LEAST_RECORDS;
      if (isFull || records.length >= SAMPLE_RECORDS) throw ENOUGH;
    },
    tooLong: () => undefined,
  });
  try {
    scanner.push(text);
    if (complete) scanner.end();
  } catch (error) {
    // The full read reports it again, unless the separator is wrong.
    if (error !== ENOUGH && records.length === 0) throw error;
  }
  return records;
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** The right separator splits known header names, else phones from the rest. */
function score(records: readonly Sampled[]): number {
  const [first] = records;
  if (!first) return 0;
  const header = first.cells.slice(0, SAMPLE_CELLS);
  const named = header.filter((cell) => isPhoneHeader(cell) || isNameHeader(cell)).length;
  if (header.some(isPhoneHeader)) return 1_000_000 + named;
  const withPhone = records.filter(({ cells }) => hasPhone(cells)).length;
  const parted = records.filter(({ cells }) => cells.length > 1).length;
  return withPhone * 1_000 + parted + named;
}

const TITLE_LINES = 10;

/** Lines above the header (title, date) have fewer cells and no phone; otherwise columns would be guessed. */
function titleLines(records: readonly Sampled[]): number {
  let widest = 0;
  for (const [at, { cells }] of records.slice(0, TITLE_LINES).entries()) {
    const head = cells.slice(0, SAMPLE_CELLS);
    if (hasPhone(head)) return 0;
    const filled = head.filter((cell) => cell.trim() !== "").length;
    if (filled > widest && filled > 1 && head.some(isPhoneHeader)) return at;
    widest = Math.max(widest, filled);
  }
  return 0;
}

function columnsOf(records: readonly Sampled[], first: Sampled): Layout {
  const { cells, row } = first;
  const head = cells.slice(0, SAMPLE_CELLS);
  const named = hasPhone(head) ? { name: -1, phones: [] } : namedColumns(head);
  // A person called «Contato» with an incomplete number is a refused row, not a header.
  const header = named.phones.length > 0 || (named.name !== -1 && !head.some((cell) => likeness(cell) > 0));
  const body = header ? records.slice(1) : records;
  if (body.length === 0 && named.phones.length > 0) throw new AppError("import_empty");
  const codes = codeColumns(head, body, named.phones);
  const called = named.phones.filter((at) => ![...codes.ddds.values(), ...codes.areas].includes(at));
  const phones = called.length > 0 ? called : guessPhone(body, cells);
  const name = named.name !== -1 ? named.name : guessName(body, phones, header ? cells : []);
  const moreNames = header ? furtherNames(head, named.name) : [];
  const read = [name, ...moreNames, ...phones, ...codes.ddds.values(), ...codes.countries, ...codes.areas];
  const layout = {
    skip: header ? row : row - 1,
    header,
    name,
    moreNames,
    phones,
    ...codes,
    everyCell: !header && name === -1 && isAllPhones(body),
    otherPhones: otherPhones(body, read, head),
    unused: header ? unusedColumns(head, read) : [],
    columns: header ? cells.length : commonWidth(records),
  };
  refuseSplitPhones(layout, head, body);
  return layout;
}

const NAMED_COLUMNS = 50;
const COLUMN_NAME = 100;

function unusedColumns(head: readonly string[], read: readonly number[]): string[] {
  return head
    .filter((cell, at) => !read.includes(at) && cell.trim() !== "")
    .slice(0, NAMED_COLUMNS)
    .map((cell) => cell.trim().slice(0, COLUMN_NAME).toWellFormed());
}

type CodeColumns = Pick<CsvLayout, "ddds" | "areas" | "countries">;

function codeColumns(
  head: readonly string[],
  body: readonly Sampled[],
  phones: readonly number[],
): CodeColumns {
  const digits = (at: number) => body.map(({ cells }) => (cells[at] ?? "").replace(/\D/g, "").length);
  const isShort = (at: number) => digits(at).every((count) => count <= COUNTRY_DIGITS);
  const isDdd = (at: number) =>
    isAreaCodeHeader(head[at] ?? "") && digits(at).every((count) => count <= DDD_DIGITS);
  const ddds = new Map(phones.filter((at) => isDdd(at - 1)).map((at) => [at, at - 1]));
  const joined = [...ddds.values()];
  const columns = head.map((_, at) => at);
  return {
    ddds,
    areas: columns.filter(
      (at) => isDdd(at) && !joined.includes(at) && !ddds.has(at) && digits(at).some((count) => count > 0),
    ),
    countries: columns.filter((at) => isCountryCodeHeader(head[at] ?? "") && isShort(at)),
  };
}

const DDD_DIGITS = 3;
const COUNTRY_DIGITS = 5;

function refuseSplitPhones(layout: Layout, head: readonly string[], body: readonly Sampled[]): void {
  if (!body.some(({ cells }) => lacksItsCode(partsOf(layout, cells)))) return;
  const columns = [...layout.countries, ...layout.areas].sort((a, b) => a - b);
  throw new AppError("import_split_phone", {
    columns: columns.map((at) => (head[at] ?? "").trim().slice(0, COLUMN_NAME)).join(", "),
  });
}

function partsOf(layout: Layout, cells: readonly string[]): PhoneParts {
  const { at, phone = "" } = phoneIn(layout, cells);
  const nearest = (columns: readonly number[]) =>
    cells[columns.findLast((column) => column < at) ?? columns[0] ?? -1] ?? "";
  return { phone, country: nearest(layout.countries), area: nearest(layout.areas) };
}

/** A column of document numbers must not be read as strangers' phones. */
function isAllPhones(records: readonly Sampled[]): boolean {
  const lines = records.map(({ cells }) => cells.slice(0, SAMPLE_CELLS).filter((cell) => cell.trim() !== ""));
  const papers = lines.flat().filter(isCpf).length;
  return (
    lines.some((cells) => cells.length >= SEVERAL) &&
    lines.every((cells) => cells.every((cell) => likeness(cell) === READABLE)) &&
    papers * 4 < lines.flat().length
  );
}

/** Two numbers may belong to one person, who would get the message twice. */
const SEVERAL = 3;

function otherPhones(
  records: readonly Sampled[],
  read: readonly number[],
  head: readonly string[],
): number[] {
  const width = Math.max(0, ...records.map(({ cells }) => Math.min(cells.length, SAMPLE_CELLS)));
  return Array.from({ length: width }, (_, at) => at).filter((at) => {
    if (read.includes(at) || isOtherNumberHeader(head[at] ?? "")) return false;
    const held = records.map(({ cells }) => cells[at] ?? "").filter((cell) => likeness(cell) === READABLE);
    return held.length > 0 && held.filter(isCpf).length * 2 < held.length;
  });
}

const READABLE = 3;

type Layout = Omit<CsvLayout, "separator">;

/** 3: a phone; 1: possibly a wrong one; 0: none. */
function likeness(cell: string): number {
  const text = cell.slice(0, 100);
  if (!("error" in readPhone(text))) return READABLE;
  return /\d\D*\d\D*\d/.test(text) && !/[a-df-z]{2}/i.test(text) ? 1 : 0;
}

const hasPhone = (cells: readonly string[]) =>
  cells.slice(0, SAMPLE_CELLS).some((cell) => likeness(cell) === READABLE);

function guessPhone(records: readonly Sampled[], head: readonly string[]): number[] {
  const width = Math.max(0, ...records.map(({ cells }) => Math.min(cells.length, SAMPLE_CELLS)));
  let best = { at: -1, points: 0 };
  for (let at = 0; at < width; at++) {
    if (isOtherNumberHeader(head[at] ?? "")) continue;
    const points = records.reduce(
      (sum, { cells }) => sum + (isCpf(cells[at] ?? "") ? 0 : likeness(cells[at] ?? "")),
      0,
    );
    if (points > best.points) best = { at, points };
  }
  if (best.at === -1) throw new AppError("import_no_phone_column");
  return [best.at];
}

/**
 * Check digits match by chance for one phone in a hundred; otherwise document numbers would be taken for
 * phones.
 */
function isCpf(cell: string): boolean {
  if (!/^\s*\d{3}\.?\d{3}\.?\d{3}-?\d{2}\s*$/.test(cell.slice(0, 100))) return false;
  const digits = cell.replace(/\D/g, "");
  const check = (count: number) =>
    (([...digits.slice(0, count)].reduce((sum, digit, at) => sum + Number(digit) * (count + 1 - at), 0) *
      10) %
      11) %
    10;
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

function guessName(records: readonly Sampled[], phones: readonly number[], head: readonly string[]): number {
  const width = Math.max(0, ...records.map(({ cells }) => Math.min(cells.length, SAMPLE_CELLS)));
  let best = { at: -1, points: 0 };
  for (let at = 0; at < width; at++) {
    if (phones.includes(at) || isOtherTextHeader(head[at] ?? "")) continue;
    const points = records.filter(
      ({ cells }) => greetingName((cells[at] ?? "").slice(0, 200).trim()) !== "",
    ).length;
    if (points > best.points) best = { at, points };
  }
  return best.at;
}

function commonWidth(records: readonly Sampled[]): number {
  const seen = new Map<number, number>();
  for (const { cells } of records) seen.set(cells.length, (seen.get(cells.length) ?? 0) + 1);
  return [...seen].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

export type CsvRow = {
  name: string;
  phone: string;
  error: PhoneError | "row_columns" | "row_split_phone" | null;
};

/** The name as entered, without an export's apostrophe; the first column with a phone. */
export function readRow(layout: CsvLayout, cells: readonly string[]): CsvRow {
  const name = layout.name === -1 ? "" : nameIn(layout, cells);
  const { phone } = phoneIn(layout, cells);
  const beyond = cells.length > layout.columns && !isBlank(cells.slice(layout.columns));
  if (!beyond && phone !== undefined) {
    const hasCodes = layout.countries.length + layout.areas.length > 0;
    const split = hasCodes && lacksItsCode(partsOf(layout, cells));
    return { name, phone, error: split ? "row_split_phone" : null };
  }
  return { name, phone: cells.join(layout.separator), error: "row_columns" };
}

function nameIn({ name, moreNames }: CsvLayout, cells: readonly string[]): string {
  const first = unguardCell((cells[name] ?? "").trim());
  if (moreNames.length === 0) return first;
  return joinedName(
    first,
    moreNames.map((at) => unguardCell((cells[at] ?? "").trim())),
  );
}

/** «-» or «não tem» is skipped if another column has a phone. `at`: the column. */
function phoneIn({ phones, ddds }: Layout, cells: readonly string[]): { at: number; phone?: string } {
  const held = phones.length > 1 ? phones.find((at) => /\p{Nd}/u.test(cells[at] ?? "")) : undefined;
  const at = held ?? phones.find((column) => (cells[column] ?? "").trim() !== "") ?? phones.at(-1) ?? -1;
  const phone = cells[at];
  const ddd = cells[ddds.get(at) ?? -1];
  if (phone === undefined) return { at };
  return { at, phone: ddd === undefined ? phone : withDdd(ddd, phone) };
}

export function furtherPhones(layout: Layout, cells: readonly string[]): number {
  if (layout.phones.length + layout.otherPhones.length < 2) return 0;
  const columns = [...layout.phones, ...layout.otherPhones];
  return countFurther(
    phoneIn(layout, cells).phone ?? "",
    columns.map((at) => cells[at] ?? ""),
  );
}

const CELLS_AT_ONCE = 16;

/** Invalid cells make one refused row. Yields null as a pause: a line may hold five thousand phones. */
export function* readLine(layout: CsvLayout, cells: readonly string[]): Generator<CsvRow | null> {
  const understood: CsvRow[] = [];
  const refused: string[] = [];
  let reason: PhoneError | null = null;
  for (const [at, phone] of cells.entries()) {
    if (at % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) yield null;
    if (phone.trim() === "") continue;
    const reading = readPhone(phone);
    if ("error" in reading) {
      reason ??= reading.error;
      refused.push(phone);
    } else understood.push({ name: "", phone, error: null });
  }
  if (reason) yield { name: "", phone: refused.join(layout.separator), error: reason };
  yield* understood;
}

/** Adds a missing DDD; files mix both forms. */
function withDdd(ddd: string, phone: string): string {
  return /^\D*\d{2,3}\D*$/.test(ddd.slice(0, 100)) && /^\D*(?:\d\D*){8,9}$/.test(phone.slice(0, 100))
    ? `${ddd.trim()} ${phone.trim()}`
    : phone;
}
