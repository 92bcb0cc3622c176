import { isBlank } from "./message-text.ts";

export type NameError = "row_bad_text" | "row_name_too_long";

/** In code points. */
export const NAME_LIMIT = 120;

// No name of 120 composed characters is longer. NFC takes seconds for thirty thousand combining marks.
const LONGEST_TYPED = 16 * NAME_LIMIT;

const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f]*$/;
// Direction overrides reverse the text around them; zero-width marks make equal names differ.
const INVISIBLE = /[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
// The joiner is valid only between two emoji (family, profession).
const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d+|\u200d+(?!\p{Extended_Pictographic})/gu;
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * NFC, one line, no invisible marks, at most 120 code points; may be empty. NUL and lone surrogates are
 * refused: the database cannot store them.
 */
export function cleanName(text: string): { name: string } | { error: NameError } {
  if (PLAIN.test(text)) return bounded(text.trim());
  if (text.includes("\0") || !text.isWellFormed()) return { error: "row_bad_text" };
  const visible = text.replace(LINE_BREAKS, " ").replace(INVISIBLE, "").trim();
  if (visible.length > LONGEST_TYPED) return isBlank(visible) ? { name: "" } : { error: "row_name_too_long" };
  const name = visible.normalize("NFC").replace(STRAY_JOINER, "").trim();
  return isBlank(name) ? { name: "" } : bounded(name);
}

// Tab and line ends are usual in a cell; a NUL refuses the row.
const BROKEN = /(?![\t\n\r])[\p{Cc}\ufffd]/u;

/** True for a lost or invalid character, such as `Jo\ufffdo`. */
export function isBrokenName(text: string): boolean {
  return BROKEN.test(text) && !text.includes("\0");
}

function bounded(name: string): { name: string } | { error: NameError } {
  if (name.length <= NAME_LIMIT || [...name].length <= NAME_LIMIT) return { name };
  return { error: "row_name_too_long" };
}
