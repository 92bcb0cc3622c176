import type { FieldKind } from "./field-values.ts";
import { codePoints, isBlank, normalizeLine } from "./message-text.ts";

export const VARIABLES_MOST = 50;
export const FALLBACK_MAX = 500;

/** Of the name; no field may have this key. */
export const SURNAME = "sobrenome";

/** A field in a campaign's text; `fallback` null leaves out people without a value. */
export type Variable = { key: string; fallback: string | null };

/** Written by the field's kind. */
export type TypedVariable = Variable & { kind: FieldKind };

export const typed = (variable: Variable, kinds: Readonly<Record<string, FieldKind>>): TypedVariable => ({
  ...variable,
  kind: (Object.hasOwn(kinds, variable.key) && kinds[variable.key]) || "text",
});

export const markOf = (key: string) => `{${key}}`;

export function normalizeVariable({ key, fallback }: Variable): Variable {
  return { key, fallback: fallback === null ? null : normalizeLine(fallback) };
}

export function fallbackError({ fallback }: Variable): "required" | "too_long" | null {
  if (fallback === null) return null;
  if (isBlank(fallback)) return "required";
  return codePoints(fallback) > FALLBACK_MAX ? "too_long" : null;
}
