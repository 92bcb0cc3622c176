/**
 * Looks into JSON of which only parts are known. Never follows a prototype: a body may name `__proto__`.
 */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** The same for a text; anything else, and an empty one, is null. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : null;
}

/** A number as gateways write them: itself, digits in a text, or a 64-bit one as `{low, high}`. Null for anything else. */
export function readNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "string") return /^\d{1,16}$/.test(value) ? Number(value) : null;
  const low = valueAt(value, "low");
  const high = valueAt(value, "high");
  if (typeof low !== "number" || typeof high !== "number") return null;
  return (high >>> 0) * 2 ** 32 + (low >>> 0);
}

/** A text that PostgreSQL and every page can take: no NUL, no half characters, at most `longest` long. */
export function cleanText(text: string, longest: number): string {
  return text.replaceAll("\0", "").slice(0, longest).toWellFormed();
}
