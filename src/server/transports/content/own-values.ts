/** Never follows a prototype: a body may name `__proto__`. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Null for other types and empty texts. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : null;
}

/** Number, digits, or 64-bit `{low, high}`. Null otherwise. */
export function readNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "string") return /^\d{1,16}$/.test(value) ? Number(value) : null;
  const low = valueAt(value, "low");
  const high = valueAt(value, "high");
  if (typeof low !== "number" || typeof high !== "number") return null;
  return (high >>> 0) * 2 ** 32 + (low >>> 0);
}

/** No NUL and no lone surrogates, which PostgreSQL or browsers refuse; at most `longest` characters. */
export function cleanText(text: string, longest: number): string {
  return text.replaceAll("\0", "").slice(0, longest).toWellFormed();
}
