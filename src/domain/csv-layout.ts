import { isNameHeader } from "./csv-header.ts";
import { CsvScanner } from "./csv-scan.ts";
import {
  hasPhone,
  isBlank,
  knownHeaders,
  layoutOf,
  SAMPLE_CELLS,
  type Sampled,
  type TableLayout,
  TITLE_LINES,
} from "./table-layout.ts";
import { plainText } from "./text-repair.ts";

export type CsvLayout = TableLayout & { separator: string; quote: string };

const SEPARATORS = [";", "\t", ",", "|"] as const;
const SAMPLE_RECORDS = 50;
/** Limit over all samples, since a cell may be parsed several times. */
const SAMPLE_ALL_CELLS = 1_000;
const SAMPLE_LEAST_RECORDS = 3;

/**
 * Reads a file's first 64 KB. Throws `import_empty`, `import_no_phone_column`, `import_duplicate_header`,
 * `import_unclosed_quote`; `import_split_phone` for unassignable code columns.
 */
export function detectLayout(text: string, complete: boolean): CsvLayout {
  const { separator, quote, records } = detectForm(text, complete);
  return { separator, quote, ...layoutOf(records) };
}

export type CsvForm = { separator: string; quote: string; records: readonly Sampled[] };

/** The first records, parted as they look, or by `asked`. */
export function detectForm(text: string, complete: boolean, asked?: string): CsvForm {
  const declared = /^\s*"?sep=(.)"?\r?(\n|$)/i.exec(text);
  const known = asked ?? declared?.[1];
  const candidates = known ? [known] : SEPARATORS;
  const found = candidates
    .map((separator) => ({ separator, quote: '"', records: sample(text, { separator, complete }) }))
    .map((candidate) => ({ ...candidate, score: score(candidate.records) }))
    .reduce((a, b) => (b.score > a.score ? b : a));
  const best = isApostrophed(found.records)
    ? { ...found, quote: "'", records: sample(text, { separator: found.separator, complete, quote: "'" }) }
    : found;
  const { separator, quote, records } = best;
  return { separator, quote, records: declared ? records.slice(1) : records };
}

/** `'Ana';'31 98877-6655'`: most cells; a single apostrophe before a number is a spreadsheet's. */
function isApostrophed(records: readonly Sampled[]): boolean {
  const cells = records.flatMap((record) => record.cells).filter((cell) => cell.trim() !== "");
  return (
    cells.length > 1 && cells.filter((cell) => /^\s*'.*'\s*$/s.test(cell)).length * 10 >= cells.length * 6
  );
}

const ENOUGH = Symbol("enough");

function sample(
  text: string,
  { separator, complete, quote }: { separator: string; complete: boolean; quote?: string },
): Sampled[] {
  const records: Sampled[] = [];
  let seen = 0;
  const handlers = {
    record(cells: string[], row: number) {
      if (isBlank(cells)) return;
      records.push({ cells: cells.map(plainText), row });
      seen += Math.min(cells.length, SAMPLE_CELLS);
      const isFull = seen > SAMPLE_ALL_CELLS && records.length >= SAMPLE_LEAST_RECORDS;
      if (isFull || records.length >= SAMPLE_RECORDS) throw ENOUGH;
    },
    tooLong: () => undefined,
  };
  const scanner = new CsvScanner(separator, handlers, quote);
  try {
    scanner.push(text);
    if (complete) scanner.end();
  } catch (error) {
    // The full read reports it again, unless the separator is wrong.
    if (error !== ENOUGH && records.length === 0) throw error;
  }
  return records;
}

/** The right separator splits known header names, else phones from the rest. */
function score(records: readonly Sampled[]): number {
  const named = Math.max(0, ...records.slice(0, TITLE_LINES).map(({ cells }) => knownHeaders(cells)));
  if (named > 0) return 1_000_000 + named;
  const withPhone = records.filter(({ cells }) => hasPhone(cells)).length;
  const parted = records.filter(({ cells }) => cells.length > 1).length;
  const first = records[0]?.cells.slice(0, SAMPLE_CELLS) ?? [];
  return withPhone * 1_000 + parted + first.filter(isNameHeader).length;
}

export function recordsOf(
  text: string,
  { separator, quote }: CsvLayout,
  complete: boolean,
): readonly Sampled[] {
  return sample(text, { separator, quote, complete });
}
