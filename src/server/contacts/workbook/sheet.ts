import { AppError } from "../../../domain/errors.ts";
import { columnOf, dateText, isoText, numberText } from "./cell-value.ts";
import { parseXml } from "./xml.ts";

export type TableRow = { row: number; cells: string[] };

export type SheetContext = {
  strings: readonly string[];
  dates: readonly boolean[];
  is1904: boolean;
};

const MOST_COLUMNS = 2_000;
const MOST_ROWS = 1_048_576;
const CELL_CHARS = 64 * 1024 + 1;

export async function* sheetRows(
  bytes: AsyncIterable<Buffer>,
  context: SheetContext,
): AsyncGenerator<TableRow[]> {
  const reader = new SheetReader(context);
  for await (const _piece of parseXml(bytes, reader)) {
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
}

class SheetReader {
  readonly #context: SheetContext;
  #rows: TableRow[] = [];
  #row = 0;
  #cells: string[] = [];
  #column = -1;
  #type = "";
  #style = 0;
  #value = "";
  #isValue = false;
  #isReading = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  take(): TableRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "row") this.#openRow(Number(attributes.r ?? Number.NaN));
    else if (name === "c") this.#openCell(attributes);
    else if (name === "rPh") this.#isReading = true;
    // A formula's own text is not its value; the cached value is.
    else if (name === "v" || name === "t") this.#isValue = !this.#isReading;
  }

  text(text: string): void {
    if (this.#isValue && this.#value.length < CELL_CHARS)
      this.#value += text.slice(0, CELL_CHARS - this.#value.length);
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#isValue = false;
    else if (name === "rPh") this.#isReading = false;
    else if (name === "c") this.#closeCell();
    else if (name === "row" && this.#cells.length > 0)
      this.#rows.push({ row: this.#row, cells: this.#cells });
  }

  #openRow(number: number): void {
    this.#row = number > this.#row && number <= MOST_ROWS ? number : this.#row + 1;
    if (this.#row > MOST_ROWS) throw new AppError("import_workbook_too_large");
    this.#cells = [];
    this.#column = -1;
  }

  #openCell({ r, t, s }: Readonly<Record<string, string>>): void {
    const named = r === undefined ? -1 : columnOf(r);
    this.#column = named > this.#column ? named : this.#column + 1;
    this.#type = t ?? "n";
    this.#style = Number(s ?? 0);
    this.#value = "";
  }

  #closeCell(): void {
    const text = this.#value === "" ? "" : this.#textOf(this.#value);
    if (text === "") return;
    if (this.#column >= MOST_COLUMNS) throw new AppError("import_workbook_too_large");
    while (this.#cells.length < this.#column) this.#cells.push("");
    this.#cells[this.#column] = text;
  }

  #textOf(value: string): string {
    const { strings, dates, is1904 } = this.#context;
    switch (this.#type) {
      case "s":
        return strings[Number(value)] ?? "";
      case "n": {
        const number = Number(value);
        if (value.trim() === "" || !Number.isFinite(number)) return value;
        return dates[this.#style] ? dateText(number, is1904) : numberText(number);
      }
      case "b":
        return value === "1" ? "TRUE" : "FALSE";
      case "d":
        return isoText(value);
      default:
        return value;
    }
  }
}
