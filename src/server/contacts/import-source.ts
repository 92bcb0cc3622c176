import fs from "node:fs";
import type { FieldCode } from "../../contract/error-messages.ts";
import { columnName } from "../../domain/column-name.ts";
import {
  type CsvForm,
  type CsvLayout,
  detectForm,
  detectLayout,
  recordsOf,
} from "../../domain/csv-layout.ts";
import { CsvScanner, type ScanHandlers } from "../../domain/csv-scan.ts";
import { AppError } from "../../domain/errors.ts";
import { furtherJsonPhones, JsonListReader, readJsonRow } from "../../domain/json-contacts.ts";
import { decoderOf } from "../../domain/single-byte.ts";
import { isBlank } from "../../domain/table-layout.ts";
import type { FieldColumns } from "../../domain/table-mapping.ts";
import { understand } from "../../domain/table-reading.ts";
import { furtherPhones, readLine, readRow, type TableRow } from "../../domain/table-rows.ts";
import { encodingDetector, type TextEncoding } from "../../domain/text-encoding.ts";
import { Pauses } from "../jobs/pauses.ts";

/** Rows count from 1, header included. `error`: refused by form. `fields`: JSON of the values, "" for none. */
export type OnRow = (
  row: number,
  name: string,
  phone: string,
  error: FieldCode | null,
  fields: string,
) => void;

/** Cells of a column that are not what their field holds: how many, and the first. */
type Unread = { column: string; count: number; row: number; text: string };

/** Skipped, not refused. */
export type LeftOut = {
  columns: readonly string[];
  blankRows: number;
  furtherPhones: number;
  unread: Unread[];
};

export const nothingLeftOut = (): LeftOut => ({ columns: [], blankRows: 0, furtherPhones: 0, unread: [] });

export type RowSource = (onRow: OnRow, leftOut: LeftOut) => AsyncGenerator<number>;

export type FileForm = { encoding: TextEncoding; layout: CsvLayout };

/** How a person chose to read a file; `head`: cells of its header row. */
export type MappedForm = FileForm & { head: readonly string[]; above: number; fields: FieldColumns };

const PIECE = 64 * 1024;
const SAMPLE = 128 * 1024;

/** Throws the domain's errors. */
export async function inspectFile(file: string, asked?: TextEncoding): Promise<FileForm> {
  const encoding = asked ?? (await encodingOf(file));
  const { bytes, whole } = await beginning(file);
  const text = decoderOf(encoding).decode(bytes, { stream: !whole });
  return { encoding, layout: detectLayout(text, whole) };
}

/** Throws `import_unsure_columns` for two columns of names or phones. */
export async function refuseUnsure(file: string, { encoding, layout }: FileForm): Promise<void> {
  const { bytes, whole } = await beginning(file);
  const text = decoderOf(encoding).decode(bytes, { stream: !whole });
  const { columns, questions } = understand(recordsOf(text, layout, whole));
  const unsure = questions.find(({ code }) => code === "several_names" || code === "several_phones");
  if (!unsure) return;
  const names = unsure.columns.map((at) => `«${columns[at]?.header || columnName(at)}»`);
  throw new AppError("import_unsure_columns", { columns: names.join(", ") });
}

export async function encodingOf(file: string): Promise<TextEncoding> {
  const detector = encodingDetector();
  for await (const piece of pieces(file)) detector.push(piece);
  return detector.result();
}

/** The first records, by the encoding and separator that were asked for, or as they look. */
export async function readBeginning(
  file: string,
  encoding: TextEncoding,
  separator?: string,
): Promise<CsvForm> {
  const { bytes, whole } = await beginning(file);
  return detectForm(decoderOf(encoding).decode(bytes, { stream: !whole }), whole, separator);
}

async function beginning(file: string): Promise<{ bytes: Buffer; whole: boolean }> {
  const handle = await fs.promises.open(file);
  try {
    const bytes = Buffer.alloc(SAMPLE);
    const { bytesRead } = await handle.read(bytes, 0, SAMPLE, 0);
    return { bytes: bytes.subarray(0, bytesRead), whole: bytesRead < SAMPLE };
  } finally {
    await handle.close();
  }
}

/** One reused buffer; a read stream burdens garbage collection. */
export async function* pieces(file: string): AsyncGenerator<Buffer> {
  const handle = await fs.promises.open(file);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Skips blank records. Throws `import_unclosed_quote`. */
export function csvRows(file: string, form: FileForm | MappedForm): RowSource {
  const { encoding, layout } = form;
  const fields = "fields" in form && !form.fields.isEmpty ? form : null;
  const above = "above" in form ? form.above : 0;
  return async function* (onRow, leftOut) {
    leftOut.columns = layout.unused;
    const pauses = new Pauses();
    const decoder = decoderOf(encoding);
    let records: { cells: string[] | null; row: number }[] = [];
    const handlers: ScanHandlers = {
      record: (cells, row) => void records.push({ cells, row }),
      tooLong: (row) => void records.push({ cells: null, row }),
    };
    const scanner = new CsvScanner(layout.separator, handlers, layout.quote);
    // Foreign phones are a hundred times slower: half a second per piece.
    const passOn = async () => {
      const gathered = records;
      records = [];
      for (const { cells, row } of gathered) {
        if (!cells) onRow(row - above, "", "", "row_too_long", "");
        else if (isBlank(cells)) leftOut.blankRows += row > layout.skip ? 1 : 0;
        else if (row > layout.skip)
          for (const read of rowsOf(layout, cells, leftOut)) {
            const values =
              fields && read?.error === null ? valuesOf(fields, cells, row - above, leftOut) : "";
            if (read) onRow(row - above, read.name, read.phone, read.error, values);
            if (pauses.isDue()) await pauses.take();
          }
      }
    };
    let read = 0;
    for await (const piece of pieces(file)) {
      read += piece.length;
      scanner.push(decoder.decode(piece, { stream: true }));
      await passOn();
      yield read;
    }
    scanner.push(decoder.decode());
    scanner.end();
    await passOn();
    yield read;
  };
}

function rowsOf(layout: CsvLayout, cells: string[], leftOut: LeftOut): Iterable<TableRow | null> {
  if (layout.everyCell) return readLine(cells);
  const read = readRow(layout, cells);
  if (read.error === null) leftOut.furtherPhones += furtherPhones(layout, cells);
  return [read];
}

const UNREAD_CHARS = 60;

function valuesOf({ fields, head }: MappedForm, cells: string[], row: number, leftOut: LeftOut): string {
  const { values, unread } = fields.read(cells);
  for (const at of unread) {
    const column = (head[at] ?? "").trim().slice(0, UNREAD_CHARS).toWellFormed() || columnName(at);
    const known = leftOut.unread.find((each) => each.column === column);
    const text = (cells[at] ?? "").trim().slice(0, UNREAD_CHARS).toWellFormed().replaceAll("\0", "\ufffd");
    if (known) known.count++;
    else leftOut.unread.push({ column, count: 1, row, text });
  }
  const json = JSON.stringify(values);
  return json === "{}" ? "" : json;
}

/** Yields per piece of the file. Throws `json_invalid`, `json_not_a_list`. */
export async function* jsonElements(file: string): AsyncGenerator<{ elements: unknown[]; read: number }> {
  const decoder = new TextDecoder();
  let elements: unknown[] = [];
  const reader = new JsonListReader((element) => void elements.push(element));
  let read = 0;
  for await (const piece of pieces(file)) {
    elements = [];
    read += piece.length;
    reader.push(decoder.decode(piece, { stream: true }));
    yield { elements, read };
  }
  elements = [];
  reader.push(decoder.decode());
  reader.end();
  yield { elements, read };
}

/** Rows count from 1. Throws like `jsonElements`. */
export function jsonRows(file: string): RowSource {
  return async function* (onRow, leftOut) {
    const pauses = new Pauses();
    let row = 0;
    for await (const { elements, read } of jsonElements(file)) {
      for (const element of elements) {
        const { name, phone, error } = readJsonRow(element);
        onRow(++row, name, phone, error, "");
        if (error === null) leftOut.furtherPhones += furtherJsonPhones(element);
        if (pauses.isDue()) await pauses.take();
      }
      yield read;
    }
  };
}
