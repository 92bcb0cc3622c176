import { isBlank } from "./message-text.ts";
import { isEncodedTwice } from "./text-repair.ts";

export type NameError = "row_bad_text" | "row_name_too_long";

/** In code points. */
export const NAME_LIMIT = 120;

// No text of so many composed characters is longer. NFC takes seconds for thirty thousand combining marks.
const LONGEST_TYPED = 16;

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
  const read = cleanLine(text, NAME_LIMIT);
  if ("line" in read) return { name: read.line };
  return { error: read.error === "bad_text" ? "row_bad_text" : "row_name_too_long" };
}

type LineReading = { line: string } | { error: "bad_text" | "too_long" };

export function cleanLine(text: string, limit: number): LineReading {
  if (PLAIN.test(text)) return bounded(text.trim(), limit);
  if (text.includes("\0") || !text.isWellFormed()) return { error: "bad_text" };
  const visible = text.replace(LINE_BREAKS, " ").replace(INVISIBLE, "").trim();
  if (visible.length > LONGEST_TYPED * limit) return isBlank(visible) ? { line: "" } : { error: "too_long" };
  const line = visible.normalize("NFC").replace(STRAY_JOINER, "").trim();
  return isBlank(line) ? { line: "" } : bounded(line, limit);
}

// Tab and line ends are usual in a cell; a NUL refuses the row.
const BROKEN = /(?![\t\n\r])[\p{Cc}\ufffd]/u;

/** True for a lost or invalid character, such as `Jo\ufffdo`, or `JoÃ£o` that could not be restored. */
export function isBrokenName(text: string): boolean {
  return (BROKEN.test(text) && !text.includes("\0")) || isEncodedTwice(text);
}

function bounded(line: string, limit: number): LineReading {
  return line.length <= limit || [...line].length <= limit ? { line } : { error: "too_long" };
}
