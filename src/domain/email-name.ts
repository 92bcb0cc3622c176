/** Longer names are cut in a letter. In code points, the sign of the cut included. */
export const LETTER_NAME_MAX = 40;
/** More digits than a date has may be a phone number, and mail programs make a link of one. */
const DIGITS_MAX = 8;
/** Everything else becomes a space: without dots, slashes, colons and at signs no mail program finds a link. */
const FOREIGN = /[^\p{L}\p{M}\p{N} \-_'’&,()+%!?ºª]+/gu;
/** Control signs, zero width signs and signs that turn the direction of text. */
const INVISIBLE = /\p{C}|\p{Default_Ignorable_Code_Point}/gu;
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu;
const LINK_WORDS = new Set(["http", "https", "ftp", "www", "mailto", "tel", "sms", "javascript"]);
/** Longer texts cannot be names; to look through them would be work for nothing. */
const READ_MAX = 1_000;

/**
 * A text that a caller chose, as a letter may carry it: at most 40 signs, and nothing of which mail programs make a link. Empty when
 * nothing is left.
 */
export function nameInEmail(text: string): string {
  const visible = text.slice(0, READ_MAX).replace(/\s+/g, " ").normalize("NFKC").replace(INVISIBLE, "");
  const words = visible
    .replace(FOREIGN, " ")
    .normalize("NFC")
    .replace(STACKED_MARKS, "$1")
    .split(" ")
    .filter((word) => word !== "" && !LINK_WORDS.has(word.toLowerCase()));
  const clean = dropPhone(words.join(" "));
  const signs = Array.from(clean);
  if (signs.length <= LETTER_NAME_MAX) return clean;
  const cut = signs.slice(0, LETTER_NAME_MAX - 1).join("");
  return `${cut.trimEnd()}…`;
}

function dropPhone(text: string): string {
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return digits > DIGITS_MAX
    ? text
        .replace(/\p{N}+/gu, " ")
        .replace(/ +/g, " ")
        .trim()
    : text;
}

/** A host or an address as a letter names it: `crm[.]exemplo[.]com[.]br`, which no mail program makes a link of. */
export function hostInEmail(host: string): string {
  return host
    .slice(0, READ_MAX)
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}.:-]+/gu, "")
    .slice(0, HOST_MAX)
    .replace(/[.:]/g, (sign) => `[${sign}]`);
}

const HOST_MAX = 80;
