import { type RawBuilder, sql } from "kysely";
import { brazilianPhone, plainPhone } from "../../domain/phone.ts";

const VARIANTS: Readonly<Record<string, string>> = {
  a: "aáàâãäåAÁÀÂÃÄÅ",
  c: "cçCÇ",
  e: "eéèêëEÉÈÊË",
  i: "iíìîïIÍÌÎÏ",
  n: "nñNÑ",
  o: "oóòôõöOÓÒÔÕÖ",
  u: "uúùûüUÚÙÛÜ",
};

/** Case and accents aside. A regular expression takes 0.4 s for a million rows, lower(translate(…)) 4 s. */
export function holdsWords(column: string, words: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(column)} collate "C" ~ ${wordsPattern(words)}`;
}

export function wordsPattern(words: string): string {
  return Array.from(words.normalize("NFC").toLowerCase(), (sign) => {
    if (/[0-9 ]/.test(sign)) return sign;
    if (!/\p{L}/u.test(sign)) return /[\x20-\x7e]/.test(sign) ? `\\${sign}` : sign;
    const base = sign.normalize("NFD").replace(/\p{M}/gu, "");
    const upper = sign.toUpperCase();
    return `[${VARIANTS[base] ?? ""}${sign}${upper.length === sign.length ? upper : ""}]`;
  }).join("");
}

/**
 * Null with too few digits. Whole Brazilian numbers are searched as stored, ninth digit optional, since it
 * may be part of a foreign number.
 */
export function phonePattern(words: string): string | null {
  const digits = plainPhone(words).replace(/[\s()+.-]/g, "");
  if (!/^\d{3,}$/.test(digits)) return null;
  const whole = brazilianPhone(digits);
  // Exported foreign numbers begin with 00.
  if (whole === 0) return `%${digits.replace(/^00(?=\d{8})/, "")}%`;
  const national = String(Math.abs(whole)).slice(2);
  return whole > 0 ? `%${national}%` : `%${national.slice(0, 2)}%${national.slice(3)}%`;
}
