/** Lengths in code points. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
export const ACCOUNT_NAME_MAX = 120;
export const EMAIL_MAX = 254;

/** The rule of zod and better-auth, which check again: what passes here must pass there. */
const EMAIL = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/**
 * Stored form: NFKC, trimmed, lower case. NFKC comes before validation, else a full-width `＠` is stored as
 * another address. Undefined if invalid or over 254 characters.
 */
export function normalizeEmail(typed: string): string | undefined {
  // NFKC can lengthen a text 18 times, so far too long input is skipped.
  if (typed.length > EMAIL_MAX * 4) return undefined;
  const email = typed.normalize("NFKC").trim().toLowerCase();
  return email.length <= EMAIL_MAX && EMAIL.test(email) ? email : undefined;
}

/** NFKC, so that `ç` from phone and keyboard are equal. Not trimmed: spaces may be intended. */
export function normalizePassword(typed: string): string {
  return typed.normalize("NFKC");
}

/** Validates a new password; undefined when valid. Cheap for any length. */
export function passwordError(typed: string): "too_short" | "too_long" | "invalid_text" | undefined {
  // A code point has at most two units, so longer texts need no counting.
  if (typed.length > PASSWORD_MAX * 2) return "too_long";
  // A lone surrogate becomes U+FFFD in UTF-8: different passwords would share one hash.
  if (!typed.isWellFormed() || typed.includes("\0")) return "invalid_text";
  const length = Array.from(normalizePassword(typed)).length;
  if (length < PASSWORD_MIN) return "too_short";
  return length > PASSWORD_MAX ? "too_long" : undefined;
}

// Controls, zero-width and bidi marks: invisible in a header, and bidi marks can reverse a line.
const INVISIBLE = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/** NFC, no invisible controls, single spaces, trimmed; may be empty. */
export function normalizeName(typed: string): string {
  if (!typed.isWellFormed()) return "";
  return typed.normalize("NFC").replace(INVISIBLE, " ").replace(/\s+/gu, " ").trim();
}

/** Zone of most users, for accounts without a known one. */
export const DEFAULT_TIME_ZONE = "America/Sao_Paulo";

/** True for an IANA zone known to this machine (`America/Manaus`); offsets such as `+03:00` are refused. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
