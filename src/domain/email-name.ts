/** Code points, ellipsis included. */
export const EMAIL_NAME_MAX = 40;
/** Longer digit runs may be phones, which mail programs turn into links. */
const DIGITS_MAX = 8;
/** Becomes a space: without dots, slashes, colons and at signs no mail program finds a link. */
const FOREIGN = /[^\p{L}\p{M}\p{N} \-_'’&,()+%!?ºª]+/gu;
const INVISIBLE = /\p{C}|\p{Default_Ignorable_Code_Point}/gu;
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu;
const LINK_WORDS = new Set(["http", "https", "ftp", "www", "mailto", "tel", "sms", "javascript"]);
const READ_MAX = 1_000;

/** A caller's text for an e-mail: at most 40 characters, nothing that mail programs turn into a link. */
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
  if (signs.length <= EMAIL_NAME_MAX) return clean;
  const cut = signs.slice(0, EMAIL_NAME_MAX - 1).join("");
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

/** `crm[.]exemplo[.]com[.]br`: mail programs make no link of it. */
export function hostInEmail(host: string): string {
  return host
    .slice(0, READ_MAX)
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}.:-]+/gu, "")
    .slice(0, HOST_MAX)
    .replace(/[.:]/g, (sign) => `[${sign}]`);
}

const HOST_MAX = 80;
