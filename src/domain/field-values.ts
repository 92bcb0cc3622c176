import { cleanLine } from "./contact-name.ts";

export const FIELD_KINDS = ["text", "number", "date", "boolean"] as const;
type FieldKind = (typeof FIELD_KINDS)[number];

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
