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

/**
 * Does the column hold these words somewhere, whatever their case and accents? As a regular expression: 0.4 s for a million rows, where
 * lower(translate(…)) takes 4.
 */
export function holdsWords(column: string, words: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(column)} collate "C" ~ ${wordsPattern(words)}`;
}

/** Every letter with its variants, every other sign as itself. */
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
 * The digits of a search that looks for a phone, null when it has too few to mean one. A whole Brazilian number is looked for as it is saved,
 * however somebody writes it: without a zero before it, and with its ninth digit (or without, for it may be a part of a stranger's).
 */
export function phonePattern(words: string): string | null {
  const digits = plainPhone(words).replace(/[\s()+.-]/g, "");
  if (!/^\d{3,}$/.test(digits)) return null;
  const whole = brazilianPhone(digits);
  // Another country's begins with 00 in a list that was exported.
  if (whole === 0) return `%${digits.replace(/^00(?=\d{8})/, "")}%`;
  const national = String(Math.abs(whole)).slice(2);
  return whole > 0 ? `%${national}%` : `%${national.slice(0, 2)}%${national.slice(3)}%`;
}
