/** Fewest and most characters of a password, counted in code points, and the most of a name and an e-mail. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
export const ACCOUNT_NAME_MAX = 120;
export const EMAIL_MAX = 254;

/**
 * The rule of zod and of better-auth, which judges the address again: ASCII local part without leading or doubled dots,
 * a domain with at least one dot, a last label of letters. What passes here passes there.
 */
const EMAIL = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/**
 * Folds an e-mail as typed to the one form under which its account is kept: NFKC, trimmed, lower case.
 * NFKC comes before any judgement: a full-width `＠` would pass or fail the rule as one address and be stored as another.
 * Returns undefined for what is not an e-mail address or is longer than 254 characters.
 */
export function normalizeEmail(typed: string): string | undefined {
  // NFKC can make a text up to 18 times longer; what is far too long is not worth the work.
  if (typed.length > EMAIL_MAX * 4) return undefined;
  const email = typed.normalize("NFKC").trim().toLowerCase();
  return email.length <= EMAIL_MAX && EMAIL.test(email) ? email : undefined;
}

/**
 * The form of a password that is hashed: NFKC, so that `ç` typed on a phone and on a keyboard are the same letter.
 * Not trimmed: a space may be meant.
 */
export function normalizePassword(typed: string): string {
  return typed.normalize("NFKC");
}

/** Says what is wrong with a new password's form; undefined when it may be hashed. Cheap however long the text is. */
export function passwordError(typed: string): "too_short" | "too_long" | "invalid_text" | undefined {
  // A code point is at most two units: beyond this no counting is needed.
  if (typed.length > PASSWORD_MAX * 2) return "too_long";
  // A lone surrogate becomes U+FFFD in UTF-8: passwords that differ there would have one hash.
  if (!typed.isWellFormed() || typed.includes("\0")) return "invalid_text";
  const length = Array.from(normalizePassword(typed)).length;
  if (length < PASSWORD_MIN) return "too_short";
  return length > PASSWORD_MAX ? "too_long" : undefined;
}

// Controls (NUL, tabs, line breaks), zero-width and bidi marks: invisible in a header, and able to turn a line around.
const INVISIBLE = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/** A person's name as kept: NFC, without invisible controls, inner spaces single, trimmed. Empty when nothing is left. */
export function normalizeName(typed: string): string {
  if (!typed.isWellFormed()) return "";
  return typed.normalize("NFC").replace(INVISIBLE, " ").replace(/\s+/gu, " ").trim();
}

/** Whose zone nobody knows lives where most of the product's people do. */
export const DEFAULT_TIME_ZONE = "America/Sao_Paulo";

/** True for an IANA time zone name that this machine knows (`America/Manaus`); offsets such as `+03:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
