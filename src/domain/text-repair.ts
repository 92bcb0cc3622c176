// What windows-1252 shows for the bytes 80 to 9F; the others are their own code points.
const WINDOWS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const BYTES = new Map([...WINDOWS].map((sign, at) => [sign, 0x80 + at]));

/** Lead and following bytes, as windows-1252 shows them; no language writes «Ã£» or «â€™». */
const FOLLOWER = `[\\u0080-\\u00bf${WINDOWS}]`;
// «IRMÃ» before a no-break space is a name and its blank.
const LATIN = `[Â-Å](?!\\u00a0)${FOLLOWER}`;
const VIETNAMESE = `á(?:»${FOLLOWER}|º(?![ªº])${FOLLOWER})`;
const TWICE = new RegExp(`${LATIN}|${VIETNAMESE}|â[${WINDOWS}]${FOLLOWER}|ð${FOLLOWER}{3}`, "gu");
const MAY_BE_TWICE = /[Â-ð][^ -~]/;

const ENTITY = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d?);/gi;
const LETTERS = "AaEeIiOoUuNnCcYy";
const MARKS: Record<string, string> = {
  acute: "\u0301",
  grave: "\u0300",
  circ: "\u0302",
  tilde: "\u0303",
  uml: "\u0308",
  cedil: "\u0327",
};
const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ordf: "ª",
  ordm: "º",
  deg: "°",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  szlig: "ß",
  oslash: "ø",
  Oslash: "Ø",
  aring: "å",
  Aring: "Å",
  aelig: "æ",
  AElig: "Æ",
};
const LONGEST = 4_000;

/** The cell as it was meant. Text without such traces comes back unchanged. */
export function plainText(cell: string): string {
  if (cell.length > LONGEST) return cell;
  const once = MAY_BE_TWICE.test(cell) ? decodedTwice(cell) : cell;
  return once.includes("&") ? withoutEntities(once) : once;
}

/** True for text that was encoded twice and cannot be restored whole. */
export const isEncodedTwice = (text: string) =>
  MAY_BE_TWICE.test(text) && text.slice(0, LONGEST).search(TWICE) !== -1;

function decodedTwice(text: string): string {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  return text.replace(TWICE, (signs) => {
    try {
      return utf8.decode(Uint8Array.from([...signs], (sign) => BYTES.get(sign) ?? sign.charCodeAt(0)));
    } catch {
      return signs;
    }
  });
}

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (entity, name: string) => {
    if (name.startsWith("#")) return fromCode(entity, name);
    const known = NAMED[name] ?? NAMED[name.toLowerCase()];
    if (known !== undefined) return known;
    const letter = name.charAt(0);
    const mark = MARKS[name.slice(1).toLowerCase()];
    return mark !== undefined && LETTERS.includes(letter) ? (letter + mark).normalize("NFC") : entity;
  });
}

function fromCode(entity: string, name: string): string {
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isText = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isText ? String.fromCodePoint(code) : entity;
}
