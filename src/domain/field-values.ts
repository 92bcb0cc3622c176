import { cleanLine } from "./contact-name.ts";

export const FIELD_KINDS = ["text", "number", "date", "boolean"] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** Of a text, in code points. */
export const FIELD_TEXT_LIMIT = 500;

/** Null: no value. */
type FieldReading =
  | { value: string | number | boolean | null }
  | { error: "wrong_type" | "invalid_date" | "invalid_text" | { code: "too_long"; n: number } };

/** A blank text is no value; dates are written YYYY-MM-DD. */
export function readFieldValue(kind: FieldKind, value: unknown): FieldReading {
  if (value === null) return { value };
  if (kind === "boolean") return typeof value === "boolean" ? { value } : { error: "wrong_type" };
  if (kind === "number") return Number.isFinite(value) ? { value: Number(value) } : { error: "wrong_type" };
  if (typeof value !== "string") return { error: "wrong_type" };
  if (kind === "date") return value === "" ? { value: null } : readDate(value);
  const read = cleanLine(value, FIELD_TEXT_LIMIT);
  if ("line" in read) return { value: read.line === "" ? null : read.line };
  return { error: read.error === "bad_text" ? "invalid_text" : { code: "too_long", n: FIELD_TEXT_LIMIT } };
}

function readDate(value: string): FieldReading {
  const written = /^\d{4}-\d{2}-\d{2}$/.test(value);
  // 30 February would become a day of March.
  const real = written && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value);
  return real ? { value } : { error: "invalid_date" };
}

const CELL_CHARS = 1_000;
const DAY_FIRST = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[ T].*)?$/;
const YEAR_FIRST = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?$/;
/** Two digits from here on are of the last century. */
const CENTURY = 50;

/** A cell of a Brazilian table: `12/10/2026`, `R$ 1.234,50`, `Sim`. */
export function readFieldCell(kind: FieldKind, cell: string): FieldReading {
  if (kind === "text") return readFieldValue(kind, cell);
  const text = cell.slice(0, CELL_CHARS).trim();
  if (text === "") return { value: null };
  if (kind === "date") return readDate(isoDate(text));
  const value = kind === "number" ? numberOf(text) : truthOf(text);
  return value === null ? { error: "wrong_type" } : { value };
}

function isoDate(text: string): string {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year && month && day) return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const [, dayFirst = "", second = "", last = ""] = DAY_FIRST.exec(text) ?? [];
  const century = Number(last) >= CENTURY ? "19" : "20";
  return `${last.length === 2 ? century + last : last}-${second.padStart(2, "0")}-${dayFirst.padStart(2, "0")}`;
}

const NUMBER = /^(?:R\$)?(-?)(\d{1,3}(?:\.\d{3}){1,4}|\d{1,3}(?:,\d{3}){2,4}|\d{1,15})([.,]\d{1,10})?%?$/;

/** One point before three digits parts thousands, as Brazil writes them. */
function numberOf(text: string): number | null {
  const [, sign = "", whole, fraction = ""] = NUMBER.exec(text.replaceAll(/\s/g, "")) ?? [];
  if (whole === undefined) return null;
  return Number(`${sign}${whole.replaceAll(/[.,]/g, "")}${fraction.replace(",", ".")}`);
}

const TRUE = /^(?:sim|s|yes|y|true|verdadeiro|x|1)$/i;
const FALSE = /^(?:n[aã]o|n|no|false|falso|0)$/i;

function truthOf(text: string): boolean | null {
  if (TRUE.test(text)) return true;
  return FALSE.test(text) ? false : null;
}
