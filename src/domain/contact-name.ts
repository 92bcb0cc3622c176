import { isBlank } from "./message-text.ts";

/** Why a name was refused; words are in contract/error-messages.ts. */
export type NameError = "row_bad_text" | "row_name_too_long";

/** Longest name of a list or contact, in code points. */
export const NAME_LIMIT = 120;

// No name of 120 composed characters is longer. NFC sorts marks that follow each other, which takes seconds for thirty thousand of them.
const LONGEST_TYPED = 16 * NAME_LIMIT;

// Printable Latin letters that need no cleaning: nearly every name.
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f]*$/;
// Direction overrides would turn the text around them on the screen; zero-width marks make equal names differ.
const INVISIBLE = /[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
// The joiner belongs between two emoji (family, profession) and nowhere else.
const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d+|\u200d+(?!\p{Extended_Pictographic})/gu;
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * A name as it is stored: NFC, one line, trimmed, without invisible marks, at most 120 code points; empty where nothing of it can be
 * seen. Applying it again changes nothing. A NUL or half a character is refused: the database cannot hold it.
 */
export function cleanName(text: string): { name: string } | { fault: NameError } {
  if (PLAIN.test(text)) return bounded(text.trim());
  if (text.includes("\0") || !text.isWellFormed()) return { fault: "row_bad_text" };
  const visible = text.replace(LINE_BREAKS, " ").replace(INVISIBLE, "").trim();
  if (visible.length > LONGEST_TYPED) return isBlank(visible) ? { name: "" } : { fault: "row_name_too_long" };
  const name = visible.normalize("NFC").replace(STRAY_JOINER, "").trim();
  return isBlank(name) ? { name: "" } : bounded(name);
}

// Tab and line ends are usual in a cell; a NUL costs its row.
const BROKEN = /(?![\t\n\r])[\p{Cc}\ufffd]/u;

/** True for a name in which a character was lost on its way, as `Jo\ufffdo`, or never belonged. */
export function isBrokenName(text: string): boolean {
  return BROKEN.test(text) && !text.includes("\0");
}

function bounded(name: string): { name: string } | { fault: NameError } {
  if (name.length <= NAME_LIMIT || [...name].length <= NAME_LIMIT) return { name };
  return { fault: "row_name_too_long" };
}
