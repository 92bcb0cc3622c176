import { AppError } from "../../domain/errors.ts";
import { SAMPLE_ELEMENTS, TOO_LONG } from "../../domain/json-contacts.ts";
import { decoderOf } from "../../domain/single-byte.ts";
import { proposedLayout, type Sampled } from "../../domain/table-layout.ts";
import { VCardReader } from "../../domain/vcard.ts";
import { jsonElements } from "./import-source.ts";
import { numberText } from "./workbook/cell-value.ts";
import type { TableRow } from "./workbook/sheet.ts";
import { type Sheet, Workbook } from "./workbook/workbook.ts";

/** Text that the import reads as any CSV file: one line for each row of the sheet, so that row numbers stay. */
export async function* csvOf(groups: AsyncIterable<TableRow[]>): AsyncGenerator<Buffer> {
  let last = 0;
  let bytes = 0;
  for await (const rows of groups) {
    let text = "";
    for (const { row, cells } of rows) {
      text += "\n".repeat(row - last - 1);
      text += `${cells.map(quoted).join(";")}\n`;
      last = row;
    }
    const piece = Buffer.from(text);
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new AppError("import_workbook_too_large");
    yield piece;
  }
}

const MOST_BYTES = 300 * 1024 * 1024;

const quoted = (cell: string) => `"${cell.replaceAll(/[\r\n]+/g, " ").replaceAll('"', '""')}"`;

/** Rows of the sheet that holds people. Throws `import_several_sheets` where several do, and `asked` names none. */
export async function* workbookRows(file: string, asked: string | undefined): AsyncGenerator<TableRow[]> {
  const workbook = await Workbook.open(file);
  try {
    yield* workbook.rows(await sheetOf(workbook, asked));
  } finally {
    await workbook.close();
  }
}

async function sheetOf(workbook: Workbook, asked: string | undefined): Promise<Sheet> {
  const named = workbook.sheets.find(({ name }) => name === asked);
  if (named) return named;
  const found: { sheet: Sheet; hasPhones: boolean }[] = [];
  for (const sheet of workbook.sheets.filter(({ isHidden }) => !isHidden).slice(0, MOST_LOOKED_AT)) {
    const sample = await sampleOf(workbook, sheet);
    if (sample.length > 0) found.push({ sheet, hasPhones: holdsPhones(sample) });
  }
  const withPhones = found.filter(({ hasPhones }) => hasPhones);
  const [only, ...others] = withPhones;
  if (asked !== undefined || others.length > 0) {
    const names = (asked === undefined ? withPhones : found).map(({ sheet }) => sheet.name);
    throw new AppError("import_several_sheets", {
      sheets: names.map((name) => `«${name}»`).join(", "),
      names,
    });
  }
  if (only) return only.sheet;
  throw new AppError(found.length === 0 ? "import_empty" : "import_no_phone_column");
}

const MOST_LOOKED_AT = 30;
const SAMPLE_ROWS = 50;

async function sampleOf(workbook: Workbook, sheet: Sheet): Promise<Sampled[]> {
  const sample: TableRow[] = [];
  for await (const rows of workbook.rows(sheet)) {
    sample.push(...rows.slice(0, SAMPLE_ROWS - sample.length));
    if (sample.length >= SAMPLE_ROWS) break;
  }
  return sample;
}

function holdsPhones(sample: readonly Sampled[]): boolean {
  try {
    return proposedLayout(sample).layout.phones.length > 0;
  } catch {
    return false;
  }
}

const PHONES = 8;
const HEADER = [
  "Nome",
  ...Array.from({ length: PHONES }, (_, at) => `Telefone ${at + 1}`),
  "E-mail",
  "Empresa",
];

export async function* vcardRows(
  pieces: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<TableRow[]> {
  const decoder = decoderOf(encoding);
  let row = 1;
  let rows: TableRow[] = [{ row, cells: HEADER }];
  const reader = new VCardReader(({ name, phones, email, company }) => {
    const last = phones.slice(PHONES - 1).join(" / ");
    const numbers = Array.from({ length: PHONES }, (_, at) => (at < PHONES - 1 ? (phones[at] ?? "") : last));
    rows.push({ row: ++row, cells: [name, ...numbers, email, company] });
  });
  for await (const piece of pieces) {
    reader.push(decoder.decode(piece, { stream: true }));
    yield rows;
    rows = [];
  }
  reader.push(decoder.decode());
  reader.end();
  yield rows;
}

const KEYS_MOST = 256;

export async function* jsonTable(file: string): AsyncGenerator<TableRow[]> {
  let keys: string[] | null = null;
  let row = 1;
  for await (const { elements } of jsonElements(file)) {
    const rows: TableRow[] = [];
    if (keys === null && elements.length > 0) {
      keys = keysOf(elements);
      rows.push({ row, cells: keys });
    }
    for (const element of elements) rows.push({ row: ++row, cells: cellsOf(element, keys ?? []) });
    yield rows;
  }
}

const isObject = (element: unknown): element is Record<string, unknown> =>
  typeof element === "object" && element !== null && !Array.isArray(element);

function keysOf(elements: readonly unknown[]): string[] {
  const sample = elements.slice(0, SAMPLE_ELEMENTS).filter(isObject);
  return [...new Set(sample.flatMap((element) => Object.keys(element).slice(0, KEYS_MOST)))].slice(
    0,
    KEYS_MOST,
  );
}

function cellsOf(element: unknown, keys: readonly string[]): string[] {
  if (!isObject(element)) return [element === TOO_LONG ? "…" : JSON.stringify(element)];
  return keys.map((key) => cellOf(Object.hasOwn(element, key) ? element[key] : undefined));
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return numberText(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
