import {
  furtherNames,
  isNameHeader,
  isOtherNumberHeader,
  isOtherTextHeader,
  isPhoneHeader,
  isWhatsappHeader,
  namedColumns,
} from "./csv-header.ts";
import { codeColumns, findPhone, type PhoneLayout } from "./csv-phones.ts";
import { AppError } from "./errors.ts";
import { greetingName } from "./greeting-name.ts";
import { readPhone } from "./phone-foreign.ts";

export type Sampled = { cells: string[]; row: number };

/** Where a table's people stand. Columns count from 0; `name` is -1 in a table of phones only. */
export type TableLayout = PhoneLayout & {
  /** Rows above the first person, header included. */
  skip: number;
  header: boolean;
  name: number;
  moreNames: readonly number[];
  everyCell: boolean;
  otherPhones: readonly number[];
  unused: readonly string[];
  /** Content beyond these columns means one separator too many. */
  columns: number;
};

/** 64 KB may hold thirty thousand cells. */
export const SAMPLE_CELLS = 256;

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

export function knownHeaders(cells: readonly string[]): number {
  const head = cells.slice(0, SAMPLE_CELLS);
  if (!head.some(isPhoneHeader)) return 0;
  const isKnown = (cell: string) =>
    isPhoneHeader(cell) || isNameHeader(cell) || isOtherTextHeader(cell) || isOtherNumberHeader(cell);
  return head.filter(isKnown).length;
}

export const TITLE_LINES = 40;

/** Lines above the header (title, notes, date) have fewer cells and no phone; otherwise columns would be guessed. */
function titleLines(records: readonly Sampled[]): number {
  let best = { at: 0, known: 0, filled: 0 };
  let widest = 0;
  for (const [at, { cells }] of records.slice(0, TITLE_LINES).entries()) {
    const head = cells.slice(0, SAMPLE_CELLS);
    const filled = head.filter((cell) => cell.trim() !== "").length;
    if (hasPhone(head)) {
      // A title may hold the company's own phone; people fill several cells.
      if (filled > 1 || best.known > 0) break;
      continue;
    }
    const known = filled > 1 && filled > widest ? knownHeaders(head) : 0;
    // Of two header lines the fuller one: «Telefone» above «Celular» and «Fixo».
    if (known > best.known || (known === best.known && known > 0 && filled > best.filled))
      best = { at, known, filled };
    if (known > 0) continue;
    widest = Math.max(widest, filled);
  }
  return best.at;
}

/**
 * Of a table's first records. Throws `import_empty`, `import_no_phone_column`, `import_duplicate_header`;
 * `import_split_phone` for code columns that cannot be applied.
 */
export function layoutOf(sampled: readonly Sampled[]): TableLayout {
  const { layout, problems } = proposedLayout(sampled);
  const [problem] = problems;
  if (problem) throw problem;
  return layout;
}

/**
 * As `layoutOf`, with what is wrong beside a layout that lacks it. `headerRow`: as a person chose it, null for
 * none. Throws `import_empty`.
 */
export function proposedLayout(
  sampled: readonly Sampled[],
  headerRow?: number | null,
): { layout: TableLayout; problems: AppError[] } {
  const records = headerRow
    ? sampled.filter(({ row }) => row >= headerRow)
    : sampled.slice(headerRow === null ? 0 : titleLines(sampled));
  const [first] = records;
  if (!first) throw new AppError("import_empty");
  const head = first.cells.slice(0, SAMPLE_CELLS);
  const isNamed = headerRow !== null && (headerRow !== undefined || !hasPhone(head));
  const named = isNamed ? namedColumns(head) : { name: -1, phones: [], duplicate: null };
  // A person called «Contato» with an incomplete number is a refused row, not a header.
  const looksNamed =
    named.phones.length > 0 || (named.name !== -1 && !head.some((cell) => likeness(cell) > 0));
  const header = headerRow === undefined ? looksNamed : headerRow !== null;
  const body = header ? records.slice(1) : records;
  const problems: AppError[] = [];
  if (named.duplicate !== null)
    problems.push(new AppError("import_duplicate_header", { column: named.duplicate }));
  if (body.length === 0 && named.phones.length > 0) throw problems[0] ?? new AppError("import_empty");
  const layout = placed({ records, body, head: header ? head : [] }, first, named);
  if (layout.phones.length === 0) problems.push(new AppError("import_no_phone_column"));
  const split = splitPhones(layout, head, body);
  if (split !== null) problems.push(split);
  return { layout, problems };
}

type Parts = { records: readonly Sampled[]; body: readonly Sampled[]; head: readonly string[] };

function placed(
  { records, body, head }: Parts,
  { cells, row }: Sampled,
  named: { name: number; phones: readonly number[] },
): TableLayout {
  const header = head.length > 0;
  const codes = codeColumns({ head, body: body.map((record) => record.cells) }, named.phones);
  const called = named.phones.filter((at) => ![...codes.areas.values()].includes(at));
  const phones = called.length > 0 ? called : guessPhone(body, cells);
  const name = named.name !== -1 ? named.name : guessName(body, phones, head);
  const moreNames = header ? furtherNames(head, named.name) : [];
  const read = [
    name,
    ...moreNames,
    ...phones,
    ...[codes.areas, codes.countries, codes.labels].flatMap(valuesOf),
  ];
  return {
    skip: header ? row : row - 1,
    header,
    name,
    moreNames,
    phones,
    whatsapps: phones.filter((at) => isWhatsappHeader(head[at] ?? "")).length,
    ...codes,
    everyCell: !header && name === -1 && isAllPhones(body),
    otherPhones: otherPhones(body, read, head),
    unused: header ? namesOf(head, unread(head, read)) : [],
    columns: header ? cells.length : commonWidth(records),
  };
}

const NAMED_COLUMNS = 50;
const COLUMN_NAME = 100;

const unread = (head: readonly string[], read: readonly number[]) =>
  [...head.keys()].filter((at) => !read.includes(at));

/** For the report. */
export function namesOf(head: readonly string[], columns: readonly number[]): string[] {
  return columns
    .map((at) => (head[at] ?? "").trim())
    .filter((name) => name !== "")
    .slice(0, NAMED_COLUMNS)
    .map((name) => name.slice(0, COLUMN_NAME).toWellFormed());
}

const valuesOf = (columns: ReadonlyMap<number, number>) => [...columns.values()];

function splitPhones(
  layout: TableLayout,
  head: readonly string[],
  body: readonly Sampled[],
): AppError | null {
  const found = body
    .map(({ cells }) => findPhone(layout, cells))
    .filter(({ phone = "" }) => /\d/.test(phone));
  const split = found.filter(({ isSplit }) => isSplit).length;
  if (split === 0 || split * 2 < found.length) return null;
  const columns = [...new Set([layout.countries, layout.areas].flatMap(valuesOf))].sort((a, b) => a - b);
  return new AppError("import_split_phone", {
    columns: columns.map((at) => (head[at] ?? "").trim().slice(0, COLUMN_NAME)).join(", "),
  });
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

/** 3: a phone; 1: possibly a wrong one; 0: none. */
function likeness(cell: string): number {
  const text = cell.slice(0, 100);
  if (!("error" in readPhone(text))) return READABLE;
  return /\d\D*\d\D*\d/.test(text) && !/[a-df-z]{2}/i.test(text) ? 1 : 0;
}

export const hasPhone = (cells: readonly string[]) =>
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
  return best.at === -1 ? [] : [best.at];
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
