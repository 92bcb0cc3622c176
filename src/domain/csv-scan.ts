import { recordSkipper } from "./csv-skip.ts";
import { AppError } from "./errors.ts";

export const RECORD_LIMIT = 64 * 1024;

export type ScanHandlers = {
  /** `row` counts from 1 like a spreadsheet, with blanks and header. A blank record is `[""]`. */
  record(cells: string[], row: number): void;
  tooLong(row: number): void;
};

/**
 * Streaming CSV: RFC 4180 plus spreadsheet habits. Unlike csv-parse, an overlong record or unclosed quote
 * costs one row or names its line (`import_unclosed_quote`).
 */
export class CsvScanner {
  readonly #separator: string;
  readonly #quote: string;
  readonly #handlers: ScanHandlers;
  #rest = "";
  #row = 0;
  #line = 1;
  #skipping: ReturnType<typeof recordSkipper> | null = null;

  constructor(separator: string, handlers: ScanHandlers, quote = '"') {
    this.#separator = separator;
    this.#handlers = handlers;
    this.#quote = quote;
  }

  push(text: string): void {
    const whole = this.#rest === "" ? text : this.#rest + text;
    let at = this.#scan(whole, false);
    if (at !== -1 && whole.length - at > RECORD_LIMIT) at = this.#skip(whole, at);
    this.#rest = at === -1 ? "" : whole.slice(at);
  }

  end(): void {
    this.#scan(this.#rest, true);
    this.#rest = "";
    if (!this.#skipping) return;
    this.#skipping.end();
    this.#handlers.tooLong(++this.#row);
    this.#skipping = null;
  }

  /** Returns where the first unfinished record begins, -1 while one is skipped. */
  #scan(text: string, final: boolean): number {
    const separator = this.#separator;
    const quoteSign = this.#quote;
    let at = this.#skipping ? this.#skip(text, 0) : 0;
    const quoteFrom = nextOf(text, quoteSign);
    const crFrom = nextOf(text, "\r");
    const lfFrom = nextOf(text, "\n");
    const separatorFrom = nextOf(text, separator);
    while (at !== -1 && at < text.length) {
      const lf = lfFrom(at);
      const quote = quoteFrom(at);
      const cr = crFrom(at);
      // Fast path: nearly every line has no quotes and one line end.
      if (lf !== -1 && (quote === -1 || quote > lf) && (cr === -1 || cr >= lf - 1)) {
        const end = cr !== -1 && cr === lf - 1 ? cr : lf;
        const isTooLong = lf - at > RECORD_LIMIT;
        this.#emit(isTooLong ? null : split(text, at, end, { separator, first: separatorFrom(at) }), 1);
        at = lf + 1;
      } else {
        const record = readRecord(text, at, { separator, quote: quoteSign, line: this.#line, final });
        if (record === null) break;
        this.#emit(record.next - at > RECORD_LIMIT ? null : record.cells, record.lines);
        at = record.next;
      }
    }
    return at;
  }

  #emit(cells: string[] | null, lines: number): void {
    this.#row++;
    if (cells === null) this.#handlers.tooLong(this.#row);
    else this.#handlers.record(cells, this.#row);
    this.#line += lines;
  }

  #skip(text: string, from: number): number {
    this.#skipping ??= recordSkipper(this.#separator, this.#line, this.#quote);
    const next = this.#skipping.skip(text, from);
    if (next === -1) return -1;
    this.#line = this.#skipping.line();
    this.#skipping = null;
    this.#handlers.tooLong(++this.#row);
    return next;
  }
}

/** Remembers the next position; otherwise a text without the sign is searched to its end for every line. */
function nextOf(text: string, sign: string): (from: number) => number {
  let at = text.indexOf(sign);
  return (from) => {
    if (at !== -1 && at < from) at = text.indexOf(sign, from);
    return at;
  };
}

function split(
  text: string,
  from: number,
  to: number,
  { separator, first }: { separator: string; first: number },
): string[] {
  const cells: string[] = [];
  let start = from;
  for (let at = first; at !== -1 && at < to; at = text.indexOf(separator, start)) {
    cells.push(text.slice(start, at));
    start = at + 1;
  }
  cells.push(text.slice(start, to));
  return cells;
}

type Reading = { separator: string; quote: string; line: number; final: boolean };
type ReadCell = { value: string; end: number; lines: number };

function readRecord(
  text: string,
  from: number,
  reading: Reading,
): { cells: string[]; next: number; lines: number } | null {
  const { separator, final } = reading;
  const cells: string[] = [];
  let at = from;
  let lines = 0;
  for (;;) {
    const open = skipBlanks(text, at, separator);
    const cell =
      text[open] === reading.quote
        ? readQuoted(text, open, { ...reading, line: reading.line + lines })
        : readBare(text, at, separator);
    if (cell === null) return null;
    cells.push(cell.value);
    lines += cell.lines;
    const { end } = cell;
    if (end === text.length) return final ? { cells, next: end, lines } : null;
    if (text[end] === separator) {
      at = end + 1;
      continue;
    }
    // A carriage return at the end of a chunk: a line feed may follow.
    if (text[end] === "\r" && end + 1 === text.length && !final) return null;
    const pair = text[end] === "\r" && text[end + 1] === "\n";
    return { cells, next: end + (pair ? 2 : 1), lines: lines + 1 };
  }
}

function skipBlanks(text: string, from: number, separator: string): number {
  let at = from;
  while (text[at] === " " || (text[at] === "\t" && separator !== "\t")) at++;
  return at;
}

function readBare(text: string, from: number, separator: string): ReadCell {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return { value: text.slice(from, end), end, lines: 0 };
}

function readQuoted(
  text: string,
  open: number,
  { separator, quote: sign, line, final }: Reading,
): ReadCell | null {
  let value = "";
  let at = open + 1;
  for (;;) {
    const quote = text.indexOf(sign, at);
    if (quote === -1 || (quote + 1 === text.length && !final)) {
      if (final) throw new AppError("import_unclosed_quote", { line });
      return null;
    }
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== sign) break;
    value += sign;
    at++;
  }
  const lines = lineEnds(value);
  const end = skipBlanks(text, at, separator);
  if (end === text.length || text[end] === separator || text[end] === "\n" || text[end] === "\r") {
    return { value, end, lines };
  }
  // `"Zé" Silva` is a nickname; with a line end inside, another row's quote was taken as the end.
  if (lines > 0) throw new AppError("import_unclosed_quote", { line });
  const bare = readBare(text, at, separator);
  return { value: value + bare.value, end: bare.end, lines: 0 };
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
