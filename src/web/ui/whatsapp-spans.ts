/** Marks have no effect here. */
export type Span =
  | { kind: "mono" | "code"; from: number; to: number; text: string }
  | { kind: "link"; from: number; to: number; text: string; address: string };

const ENDINGS =
  "com|br|net|org|app|shop|store|link|io|dev|info|biz|online|site|tech|cloud|digital|blog|club|gov|edu|pt";
/** Also ends of sentences (`fim.de`), so a path must follow. */
const ENDINGS_BEFORE_PATH = "ly|me|co|to|tv|ai|gg|cc|us|uk|eu|de|es|fr|it|ar|cl|mx|py|uy|pe|gl|be|page|live";
const NAMES = String.raw`(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}`;
const EMAIL = String.raw`(?<![\p{L}\p{N}@.%+-])[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63}@${NAMES}\p{L}{2,24}(?![\p{L}\p{N}@-])`;
/** As WhatsApp finds links. Everything is bounded, so matching stays linear. */
const LINK = String.raw`(?<![\p{L}\p{N}@._-])(?:https?:\/\/(?=[\p{L}\p{N}])|www\.(?=[\p{L}\p{N}])|${NAMES}(?:(?:${ENDINGS})(?![\p{L}\p{N}_@-])|(?:${ENDINGS_BEFORE_PATH})\/))[^\s<>\x60]*`;
const FOUND = new RegExp(String.raw`\x60{3}|\x60|[*_~\n]|(?<email>${EMAIL})|${LINK}`, "giu");

const SENTENCE_SIGNS = ".,;:!?'\"’”»…)]}*_~";
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Linear: a message may hold 65,536 marks. */
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
      const span = sign.startsWith("`")
        ? codeAt(text, at, sign)
        : match.groups?.email === undefined
          ? linkAt(text, at, sign, openSigns)
          : emailAt(at, sign);
      if (sign === "```" && span === null) fences = false;
      if (span) {
        spans.push(span);
        found.lastIndex = span.to;
      }
    }
  }
  return spans;
}

function codeAt(text: string, from: number, sign: string): Span | null {
  const start = from + sign.length;
  const end = text.indexOf(sign, start + 1);
  if (end < 0 || text[start] === "`") return null;
  const inside = text.slice(start, end);
  if (inside.trim() === "" || (sign === "`" && inside.includes("\n"))) return null;
  return { kind: sign === "`" ? "code" : "mono", from, to: end + sign.length, text: inside };
}

const emailAt = (from: number, text: string): Span => ({
  kind: "link",
  from,
  to: from + text.length,
  text,
  address: `mailto:${text}`,
});

function linkAt(text: string, from: number, match: string, openSigns: ReadonlySet<string>): Span | null {
  let to = from + match.length;
  const surplus = surplusOf(match);
  for (let sign = text[to - 1] ?? ""; SENTENCE_SIGNS.includes(sign); sign = text[to - 1] ?? "") {
    // A mark may end a link unless it closes an earlier one.
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

/** Unmatched closing brackets belong to the sentence, not to the link. */
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

/**
 * Opens before a non-space and not after a letter or digit (https://faq.whatsapp.com/539178204879377).
 * A row of the same sign, such as a line to fill in, is no mark.
 */
export const opensAt = (text: string, at: number): boolean =>
  !WORD_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && isEdge(text, at, text[at + 1]);

export const closesAt = (text: string, at: number): boolean =>
  isEdge(text, at, text[at - 1]) && !WORD_AFTER.test(text.slice(at + 1, at + 3));

const isEdge = (text: string, at: number, inside: string | undefined): boolean =>
  /\S/.test(inside ?? " ") && inside !== text[at];
