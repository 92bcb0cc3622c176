import { exportPhone } from "./phone-written.ts";

const BOM = "\ufeff";
export const CSV_SEPARATOR = ";";

// Starts a formula (OWASP, CSV injection). Leading apostrophes count too, so that our own can be removed
// again.
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Prefixes an apostrophe so that no spreadsheet runs the cell. `unguardCell` reverses it. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(CSV_SEPARATOR)}\r\n`;
}

const cellOf = (text: string) => quoted(guardCell(text));

function quoted(cell: string): string {
  return /[";,\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export const csvHeader = (columns: readonly string[]) => `${BOM}${csvRecord(columns)}`;

/** `phone`: canonical digits, which need neither guard nor quotes. */
export function contactRecord(name: string, phone: string): string {
  return `${cellOf(name)}${CSV_SEPARATOR}${exportPhone(phone)}\r\n`;
}

export const textCell = cellOf;

/** A minus sign needs no guard. */
export const numberCell = (value: number, decimal: string): string =>
  quoted(String(value).replace(".", decimal));

/** `cells`: written by the functions above. */
export function personRecord(name: string, phone: string, cells: readonly string[]): string {
  return `${[cellOf(name), exportPhone(phone), ...cells].join(CSV_SEPARATOR)}\r\n`;
}

/** /Modelo.csv: what an import expects, in the form that it is exported. */
export const contactsTemplate = (columns: readonly [name: string, phone: string]) =>
  csvHeader(columns) +
  contactRecord("Maria da Silva", "5511900000001") +
  contactRecord("João Souza", "5521900000002");
