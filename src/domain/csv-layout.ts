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
import { csvScanner } from "./csv-scan.ts";
import { unguardCell } from "./csv-write.ts";
import { AppError } from "./errors.ts";
import { greetingName } from "./greeting-name.ts";
import type { PhoneError } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";
import { countFurther, lacksItsCode, type PhoneParts } from "./split-phone.ts";

/** How a file is to be read. Columns count from 0; `name` is -1 when the file holds phones alone. */
export type CsvLayout = {
  separator: string;
  /** Records before the first contact: the header, a `sep=` line, a title and blank ones above them. */
  skip: number;
  header: boolean;
  name: number;
  /** Columns that go on with the name, the surname's say. */
  moreNames: readonly number[];
  /** In the order of trust: WhatsApp, mobile, any. The first that holds a digit counts, else the first that is not empty. */
  phones: readonly number[];
  /** Where a phone's DDD stands in a column of its own: that column, by the phone's. */
  ddds: ReadonlyMap<number, number>;
  /** Columns of country codes, and of area codes that belong to no phone for certain. */
  countries: readonly number[];
  areas: readonly number[];
  /** Every cell is a phone: a line holds several people and no name. */
  everyCell: boolean;
  /** Columns that also hold phones, of which nobody is imported. */
  otherPhones: readonly number[];
  /** What the header calls the columns of which nothing is read. */
  unused: readonly string[];
  /** A record with something beyond these columns has a separator too many. */
  columns: number;
};

const SEPARATORS = [";", "\t", ","] as const;
const SAMPLE_RECORDS = 50;
/** Cells of a record that are looked at for a phone or a name: no list of contacts is wider, and 64 KB may be thirty thousand cells. */
const SAMPLE_CELLS = 256;
/** Cells of all sampled records together, of which each may be read as a phone several times; the first records count in any case. */
const SAMPLE_ALL_CELLS = 1_000;
const SAMPLE_LEAST_RECORDS = 3;

/**
 * Finds separator, header and columns from the beginning of a file (64 KB is plenty; `complete` when it is all of it).
 * Throws `import_empty`, `import_no_phone_column`, `import_duplicate_header`, `import_unclosed_quote`, and `import_split_phone` when phones
 * would be read without the country or area code that stands in a column of its own.
 */
export function detectLayout(text: string, complete: boolean): CsvLayout {
  const declared = /^\s*"?sep=(.)"?\r?(\n|$)/i.exec(text);
  const candidates = declared?.[1] ? [declared[1]] : SEPARATORS;
  const best = candidates
    .map((separator) => ({ separator, records: sample(text, separator, complete) }))
    .map((candidate) => ({ ...candidate, score: score(candidate.records) }))
    .reduce((a, b) => (b.score > a.score ? b : a));
  // What declares the separator is the first record that is not blank.
  const below = declared ? best.records.slice(1) : best.records;
  const records = below.slice(titleLines(below));
  const [first] = records;
  if (!first) throw new AppError("import_empty");
  return { separator: best.separator, ...columnsOf(records, first) };
}

type Sampled = { cells: string[]; row: number };

/** Ends a scan that has seen enough. */
const ENOUGH = Symbol("enough");

function sample(text: string, separator: string, complete: boolean): Sampled[] {
  const records: Sampled[] = [];
  let seen = 0;
  const scanner = csvScanner(separator, {
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
    // The reading itself will meet it again and say so, unless the separator is wrong.
    if (error !== ENOUGH && records.length === 0) throw error;
  }
  return records;
}

/** True for a record that only separators and blanks make up, as spreadsheets leave below a table. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** A separator is right when it parts the header's names, else when it parts phones from the rest. */
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

/** Records above a header in which a title may stand. */
const TITLE_LINES = 10;

/**
 * How many records stand above the header, as reports begin with a title and a date: fewer cells than it has, and no phone. Without it the
 * columns would have to be guessed. 0 where the first record is the header, or none is.
 */
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
  // Somebody called «Contato» whose number lacks a digit is a row to be refused, not one to be lost.
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
    ...{ skip: header ? row : row - 1, header, name, moreNames, phones, ...codes },
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

/** Columns of DDDs by their phone's, of other area codes, and of country codes. */
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

/** With a zero before it. */
const DDD_DIGITS = 3;
/** With two zeros before it. */
const COUNTRY_DIGITS = 5;

function refuseSplitPhones(layout: Layout, head: readonly string[], body: readonly Sampled[]): void {
  if (!body.some(({ cells }) => lacksItsCode(partsOf(layout, cells)))) return;
  const columns = [...layout.countries, ...layout.areas].sort((a, b) => a - b);
  throw new AppError("import_split_phone", {
    columns: columns.map((at) => (head[at] ?? "").trim().slice(0, COLUMN_NAME)).join(", "),
  });
}

/** The phone that a row holds, and the codes nearest to it. */
function partsOf(layout: Layout, cells: readonly string[]): PhoneParts {
  const { at, phone = "" } = phoneIn(layout, cells);
  const nearest = (columns: readonly number[]) =>
    cells[columns.findLast((column) => column < at) ?? columns[0] ?? -1] ?? "";
  return { phone, country: nearest(layout.countries), area: nearest(layout.areas) };
}

/** Several phones in most lines, and nothing else: no column of papers or orders, which would read as strangers' numbers. */
function isAllPhones(records: readonly Sampled[]): boolean {
  const lines = records.map(({ cells }) => cells.slice(0, SAMPLE_CELLS).filter((cell) => cell.trim() !== ""));
  const papers = lines.flat().filter(isCpf).length;
  return (
    lines.some((cells) => cells.length >= SEVERAL) &&
    lines.every((cells) => cells.every((cell) => likeness(cell) === READABLE)) &&
    papers * 4 < lines.flat().length
  );
}

/** Two numbers in a line may be one person's, who would get the message twice; three are people. */
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

/** What is read alike with any separator. */
type Layout = Omit<CsvLayout, "separator">;

/** How much a cell looks like a phone: 3 when it is one, 1 when it may be a wrong one, 0 else. */
function likeness(cell: string): number {
  const text = cell.slice(0, 100);
  if (!("fault" in readPhone(text))) return READABLE;
  return /\d\D*\d\D*\d/.test(text) && !/[a-df-z]{2}/i.test(text) ? 1 : 0;
}

const hasPhone = (cells: readonly string[]) =>
  cells.slice(0, SAMPLE_CELLS).some((cell) => likeness(cell) === READABLE);

/** `head`: cells of the first record, header or not. */
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

/** By its two check digits, which one phone in a hundred has by chance: without a header a column of papers would be one of phones. */
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

/** `head`: the header's cells, none where there is no header. */
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

/** What a record says under a layout; `fault` when it has too few cells to hold a phone, more than there are columns, or lacks a code. */
export type CsvRow = {
  name: string;
  phone: string;
  fault: PhoneError | "row_columns" | "row_split_phone" | null;
};

/** Reads one record. The name is as typed (an export's apostrophe taken away), the phone is the first column that holds one. */
export function readRow(layout: CsvLayout, cells: readonly string[]): CsvRow {
  const name = layout.name === -1 ? "" : nameIn(layout, cells);
  const { phone } = phoneIn(layout, cells);
  const beyond = cells.length > layout.columns && !isBlank(cells.slice(layout.columns));
  if (!beyond && phone !== undefined) {
    const hasCodes = layout.countries.length + layout.areas.length > 0;
    const split = hasCodes && lacksItsCode(partsOf(layout, cells));
    return { name, phone, fault: split ? "row_split_phone" : null };
  }
  return { name, phone: cells.join(layout.separator), fault: "row_columns" };
}

function nameIn({ name, moreNames }: CsvLayout, cells: readonly string[]): string {
  const first = unguardCell((cells[name] ?? "").trim());
  if (moreNames.length === 0) return first;
  return joinedName(
    first,
    moreNames.map((at) => unguardCell((cells[at] ?? "").trim())),
  );
}

/** A cell such as «-» or «não tem» is not the phone where another column has one. `at`: the column. */
function phoneIn({ phones, ddds }: Layout, cells: readonly string[]): { at: number; phone?: string } {
  const held = phones.length > 1 ? phones.find((at) => /\p{Nd}/u.test(cells[at] ?? "")) : undefined;
  const at = held ?? phones.find((column) => (cells[column] ?? "").trim() !== "") ?? phones.at(-1) ?? -1;
  const phone = cells[at];
  const ddd = cells[ddds.get(at) ?? -1];
  if (phone === undefined) return { at };
  return { at, phone: ddd === undefined ? phone : withDdd(ddd, phone) };
}

/** How many phones of a record are neither its contact's nor the same once more. */
export function furtherPhones(layout: Layout, cells: readonly string[]): number {
  // Asked for each of a million rows.
  if (layout.phones.length + layout.otherPhones.length < 2) return 0;
  const columns = [...layout.phones, ...layout.otherPhones];
  return countFurther(
    phoneIn(layout, cells).phone ?? "",
    columns.map((at) => cells[at] ?? ""),
  );
}

/** Cells that are read between two pauses of a line. */
const CELLS_AT_ONCE = 16;

/**
 * The contacts of a line that holds several phones and no name; what is no phone makes one row, with the reason of the first, ahead of them.
 * Null in between: a line may hold five thousand phones, and who reads it lets others work meanwhile.
 */
export function* readLine(layout: CsvLayout, cells: readonly string[]): Generator<CsvRow | null> {
  const understood: CsvRow[] = [];
  const refused: string[] = [];
  let reason: PhoneError | null = null;
  for (const [at, phone] of cells.entries()) {
    if (at % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) yield null;
    if (phone.trim() === "") continue;
    const reading = readPhone(phone);
    if ("fault" in reading) {
      reason ??= reading.fault;
      refused.push(phone);
    } else understood.push({ name: "", phone, fault: null });
  }
  if (reason) yield { name: "", phone: refused.join(layout.separator), fault: reason };
  yield* understood;
}

/** What lacks its DDD gets it; what has one already, as a file may have both, stays as it is. */
function withDdd(ddd: string, phone: string): string {
  return /^\D*\d{2,3}\D*$/.test(ddd.slice(0, 100)) && /^\D*(?:\d\D*){8,9}$/.test(phone.slice(0, 100))
    ? `${ddd.trim()} ${phone.trim()}`
    : phone;
}
