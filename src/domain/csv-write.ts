import { exportPhone } from "./phone-written.ts";

/** Excel opens a file that begins with this as UTF-8. */
const BOM = "\ufeff";
export const CSV_SEPARATOR = ";";

// What makes a spreadsheet run a cell (OWASP, CSV injection), after any apostrophes, so that what we add can be told apart again.
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A cell that no spreadsheet runs: an apostrophe goes before what could start a formula. `unguardCell` takes it away. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text before `guardCell`; any other text comes back as it is. */
export function unguardCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** One record, guarded, quoted by RFC 4180 and ended by CR LF. */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(CSV_SEPARATOR)}\r\n`;
}

const cellOf = (text: string) => quoted(guardCell(text));

function quoted(cell: string): string {
  return /[";,\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The first record of a file with these columns, with the mark that makes Excel read UTF-8. */
export const csvHeader = (columns: readonly string[]) => `${BOM}${csvRecord(columns)}`;

/** One contact, as `csvRecord` writes it. `phone`: canonical digits; as a file has it, a phone needs neither guard nor quotes. */
export function contactRecord(name: string, phone: string): string {
  return `${cellOf(name)}${CSV_SEPARATOR}${exportPhone(phone)}\r\n`;
}

/** /Modelo.csv: what an import expects, in the form that it is exported. */
export const contactsTemplate = (columns: readonly [name: string, phone: string]) =>
  csvHeader(columns) +
  contactRecord("Maria da Silva", "5511900000001") +
  contactRecord("João Souza", "5521900000002");
