import { recordSkipper } from "./csv-skip.ts";
import { AppError } from "./errors.ts";

/** Longest record in characters; what is longer is refused as a row, without being kept. */
export const RECORD_LIMIT = 64 * 1024;

export type ScanHandlers = {
  /** `row` counts records from 1 as a spreadsheet counts rows: blank ones and the header too. A blank record is `[""]`. */
  record(cells: string[], row: number): void;
  /** A record beyond RECORD_LIMIT. */
  tooLong(row: number): void;
};

export type CsvScanner = {
  push(text: string): void;
  /** The text is over: the last record needs no line end. Throws `import_unclosed_quote` when it ended inside quotes. */
  end(): void;
};

/**
 * Splits CSV text that arrives in pieces into records: RFC 4180 with what spreadsheets tolerate (any mix of line ends, blanks around
 * quotes, quotes inside an unquoted cell, `"Zé" Silva`). Ours and not csv-parse because a record that is too long or a quote that is
 * never closed must cost one row or name its line, not silently take its neighbours (docs/decisions: reading CSV).
 * Throws AppError `import_unclosed_quote` with the `line` where the quote opened.
 */
export function csvScanner(separator: string, handlers: ScanHandlers): CsvScanner {
  let rest = "";
  let row = 0;
  let line = 1;
  let skipping: ReturnType<typeof recordSkipper> | null = null;

  /** Skips the remainder of a record that is too long; answers where the next one begins, -1 when it goes on. */
  const skip = (text: string, from: number): number => {
    skipping ??= recordSkipper(separator, line);
    const next = skipping.skip(text, from);
    if (next === -1) return -1;
    line = skipping.line();
    skipping = null;
    handlers.tooLong(++row);
    return next;
  };

  const scan = (text: string, final: boolean): number => {
    let pos = skipping ? skip(text, 0) : 0;
    const quoteFrom = nextOf(text, '"');
    const crFrom = nextOf(text, "\r");
    const lfFrom = nextOf(text, "\n");
    const separatorFrom = nextOf(text, separator);
    while (pos !== -1 && pos < text.length) {
      const lf = lfFrom(pos);
      const quote = quoteFrom(pos);
      const cr = crFrom(pos);
      let next: number;
      // Nearly every line has no quote and one line end: cut it without looking at each character.
      if (lf !== -1 && (quote === -1 || quote > lf) && (cr === -1 || cr >= lf - 1)) {
        next = lf + 1;
        const end = cr !== -1 && cr === lf - 1 ? cr : lf;
        if (lf - pos > RECORD_LIMIT) handlers.tooLong(++row);
        else handlers.record(split(text, pos, end, { separator, first: separatorFrom(pos) }), ++row);
        line++;
      } else {
        const record = readRecord(text, pos, { separator, line, final });
        if (record === null) break;
        next = record.next;
        if (next - pos > RECORD_LIMIT) handlers.tooLong(++row);
        else handlers.record(record.cells, ++row);
        line += record.lines;
      }
      pos = next;
    }
    return pos;
  };

  return {
    push(text) {
      const whole = rest === "" ? text : rest + text;
      let pos = scan(whole, false);
      if (pos !== -1 && whole.length - pos > RECORD_LIMIT) pos = skip(whole, pos);
      rest = pos === -1 ? "" : whole.slice(pos);
    },
    end() {
      scan(rest, true);
      rest = "";
      if (!skipping) return;
      skipping.end();
      handlers.tooLong(++row);
      skipping = null;
    },
  };
}

/** Where a sign stands next, for places that only grow. Without the memory, a text that lacks the sign is searched to its end for every line. */
function nextOf(text: string, sign: string): (from: number) => number {
  let at = text.indexOf(sign);
  return (from) => {
    if (at !== -1 && at < from) at = text.indexOf(sign, from);
    return at;
  };
}

/** `first`: where the first separator at or behind `from` is. */
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

type Reading = { separator: string; line: number; final: boolean };
type ReadCell = { value: string; end: number; lines: number };

/** One record with quotes or odd line ends; null when its end has not arrived yet. */
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
      text[open] === '"'
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
    // A carriage return at the very end of a piece: whether a line feed follows is not known yet.
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

function readQuoted(text: string, open: number, { separator, line, final }: Reading): ReadCell | null {
  let value = "";
  let at = open + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1 || (quote + 1 === text.length && !final)) {
      if (final) throw new AppError("import_unclosed_quote", { line });
      return null;
    }
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    value += '"';
    at++;
  }
  const lines = lineEnds(value);
  const end = skipBlanks(text, at, separator);
  if (end === text.length || text[end] === separator || text[end] === "\n" || text[end] === "\r") {
    return { value, end, lines };
  }
  // `"Zé" Silva` is a nickname. With a line end inside, the quote that seemed to close opened another row's cell.
  if (lines > 0) throw new AppError("import_unclosed_quote", { line });
  const bare = readBare(text, at, separator);
  return { value: value + bare.value, end: bare.end, lines: 0 };
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
