/** A part of a message in which signs mark nothing: an address, or code between backquotes. `from` and `to` hold the backquotes. */
export type Span =
  | { kind: "mono" | "code"; from: number; to: number; text: string }
  | { kind: "link"; from: number; to: number; text: string; address: string };

const ENDINGS = "com|br|net|org|app|shop|store|link";
/** As WhatsApp finds them: with a scheme, with `www.`, or a name with one of the usual endings. Everything is bounded or begins once. */
const LINK = String.raw`(?<![\p{L}\p{N}@._-])(?:https?:\/\/(?=[\p{L}\p{N}])|www\.(?=[\p{L}\p{N}])|(?:wa|t)\.me\/|(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}(?:${ENDINGS})(?![\p{L}\p{N}_@-]))[^\s<>\x60]*`;
const FOUND = new RegExp(String.raw`\x60{3}|\x60|[*_~\n]|${LINK}`, "giu");

/** A sentence's own signs behind an address. */
const SENTENCE_SIGNS = ".,;:!?'\"’”»…)]}*_~";
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * The spans of a message, in order, none in another. Each sign is looked at once or twice: a stranger may send 65,536 of them.
 */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  const found = new RegExp(FOUND);
  let fences = true;
  const openSigns = new Set<string>();
  for (let match = found.exec(text); match; match = found.exec(text)) {
    const [sign] = match;
    const at = match.index;
    if (sign === "\n") openSigns.clear();
    else if (/^[*_~]$/.test(sign)) {
      if (opensAt(text, at)) openSigns.add(sign);
    } else {
      if (sign === "```" && !fences) continue;
      const span = sign.startsWith("`") ? codeAt(text, at, sign) : linkAt(text, at, sign, openSigns);
      if (sign === "```" && span === null) fences = false;
      if (span) {
        spans.push(span);
        found.lastIndex = span.to;
      }
    }
  }
  return spans;
}

/** Three backquotes hold anything, also lines; one holds a part of its line. */
function codeAt(text: string, from: number, sign: string): Span | null {
  const start = from + sign.length;
  const end = text.indexOf(sign, start + 1);
  if (end < 0 || text[start] === "`") return null;
  const inside = text.slice(start, end);
  if (inside.trim() === "" || (sign === "`" && inside.includes("\n"))) return null;
  return { kind: sign === "`" ? "code" : "mono", from, to: end + sign.length, text: inside };
}

function linkAt(text: string, from: number, match: string, openSigns: ReadonlySet<string>): Span | null {
  let to = from + match.length;
  const surplus = surplusOf(match);
  for (let sign = text[to - 1] ?? ""; SENTENCE_SIGNS.includes(sign); sign = text[to - 1] ?? "") {
    // An address may end with a sign, unless the sign closes what was opened before it.
    if (/[*_~]/.test(sign) && !openSigns.has(sign)) break;
    const opening = PAIRS[sign];
    if (opening !== undefined) {
      const left = surplus.get(opening) ?? 0;
      if (left <= 0) break;
      surplus.set(opening, left - 1);
    }
    to -= 1;
  }
  const address = text.slice(from, to);
  const href = /^https?:/i.test(address) ? address : `https://${address}`;
  return URL.canParse(href) ? { kind: "link", from, to, text: address, address: href } : null;
}

/** How many closing brackets an address has beyond its opening ones: they belong to the sentence around it. */
function surplusOf(address: string): Map<string, number> {
  const surplus = new Map<string, number>();
  for (const sign of address) {
    const opening = PAIRS[sign];
    if (opening !== undefined) surplus.set(opening, (surplus.get(opening) ?? 0) + 1);
    else if ("([{".includes(sign)) surplus.set(sign, (surplus.get(sign) ?? 0) - 1);
  }
  return surplus;
}

const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;

/** A mark opens after no letter or digit and before no space: https://faq.whatsapp.com/539178204879377. */
export const opensAt = (text: string, at: number): boolean =>
  !WORD_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && /\S/.test(text[at + 1] ?? " ");

/** A mark closes after no space and before no letter or digit. */
export const closesAt = (text: string, at: number): boolean =>
  /\S/.test(text[at - 1] ?? " ") && !WORD_AFTER.test(text.slice(at + 1, at + 3));
