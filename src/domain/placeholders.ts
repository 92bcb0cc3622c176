import { fieldOf } from "./field-words.ts";

/** A piece of a text that another sender would replace, and this one sends as it is written. */
export type Placeholder = {
  /** As it stands in the text. */
  found: string;
  /** Its first code unit in the text. */
  at: number;
  /** What says the same here: a place of ours, or the first alternative of a spintax; null where nothing does. */
  replacement: string | null;
};

/** Of each `{` where it closes; and whether a `|` of its own parts alternatives. Of strays there is nothing. */
type Braces = { close: ReadonlyMap<number, number>; choice: ReadonlySet<number> };

const KEY_MAX = 100;
const OURS = /^\{(?:nome|primeiro_nome)\}$/iu;
const CALLED = /\{[ \t]*[\p{L}_]{3,30}(?![\p{L}\p{N}_])/uy;
/** Signs that other languages put before their braces; `R${` is a price. */
const SIGN_BEFORE = /(?<![\p{L}])[$#%]$/u;

// Each begins with its own sign and is bounded, so that a long text costs no more than its length.
const MARKED: readonly RegExp[] = [
  /\[{1,2}([\p{L}_][\p{L}\p{N}_ .-]{0,39})\]{1,2}/uy,
  /%{1,2}([\p{L}_][\p{L}\p{N}_.-]{0,39})%{1,2}/uy,
  /<{1,2}%?=? ?([\p{L}_][\p{L}\p{N}_ .-]{0,39}?) ?%?>{1,2}/uy,
  /#{1,2}([\p{L}_][\p{L}\p{N}_.-]{0,39})#{1,2}(?![\p{L}\p{N}_])/uy,
  /\$([\p{L}_][\p{L}\p{N}_]{0,39})(?:\$|(?![\p{L}\p{N}_]))/uy,
];
const STARTS = "[%<#$";
/** What stands before one of those that is part of a word, a price or a tag of the web (`#promo#data`, `R$valor`). */
const PART_OF_WORD = /[\p{L}\p{N}_]$/u;
/** Mailchimp's `*|FNAME|*`. */
const MERGE_TAG = /\*\|([\p{L}\p{N}_: -]{1,40})\|\*/uy;

/**
 * What would go out literally: every pair of braces that is not ours, spintax, and `[Nome]`, `%nome%`, `<nome>`, `$nome`, `#NOME#`
 * where the word is known as the name of a field. In the order of the text; takes time that is linear in its length.
 */
export function findPlaceholders(text: string): Placeholder[] {
  const braces = readBraces(text);
  const all: Placeholder[] = [];
  for (let at = 0; at < text.length; ) {
    const one = placeholderAt(text, at, braces);
    if (one && one.replacement !== one.found) all.push(one);
    at = one ? one.at + one.found.length : at + 1;
  }
  return all;
}

/** Those that are told apart by how they are written, each once. */
export function distinctPlaceholders(text: string): Placeholder[] {
  return [...new Map(findPlaceholders(text).map((one) => [one.found, one])).values()];
}

/** The text with one placeholder replaced wherever it is written so. */
export function replacePlaceholder(text: string, { found, replacement }: Placeholder): string {
  if (replacement === null) return text;
  let said = "";
  let from = 0;
  for (const one of findPlaceholders(text)) {
    if (one.found !== found) continue;
    said += text.slice(from, one.at) + replacement;
    from = one.at + found.length;
  }
  return said + text.slice(from);
}

function readBraces(text: string): Braces {
  const close = new Map<number, number>();
  const choice = new Set<number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    const last = open.at(-1);
    if (sign === "{") open.push(at);
    else if (last === undefined) continue;
    else if (sign === "|") choice.add(last);
    else if (sign === "}") close.set(open.pop() as number, at);
  }
  return { close, choice };
}

/** The placeholder that begins there. One of ours is answered with itself as its replacement. */
function placeholderAt(text: string, at: number, braces: Braces): Placeholder | null {
  const sign = text[at] ?? "";
  if (sign === "{") return inBraces(text, at, braces);
  if (sign === "*") return marked(text, at, MERGE_TAG, true);
  if (!STARTS.includes(sign)) return null;
  if (text[at + 1] === "{" && SIGN_BEFORE.test(text.slice(Math.max(0, at - 1), at + 1))) {
    const inner = braces.close.has(at + 1) ? inBraces(text, at + 1, braces) : null;
    if (inner) return { ...inner, at, found: sign + inner.found };
  }
  if ("%#$".includes(sign) && PART_OF_WORD.test(text.slice(Math.max(0, at - 1), at))) return null;
  for (const form of MARKED) {
    const one = marked(text, at, form, false);
    if (one) return one;
  }
  return null;
}

function marked(text: string, at: number, form: RegExp, always: boolean): Placeholder | null {
  form.lastIndex = at;
  const match = form.exec(text);
  if (!match) return null;
  const field = fieldOf(match[1] ?? "");
  if (field === undefined && !always) return null;
  return { found: match[0], at, replacement: field ?? null };
}

function inBraces(text: string, at: number, braces: Braces): Placeholder | null {
  const end = braces.close.get(at);
  if (end === undefined) return unclosed(text, at);
  let from = at;
  let to = end + 1;
  // A stray brace beside it belongs to it: `{{nome}` has no place of ours.
  while (text[from - 1] === "{") from -= 1;
  while (text[to] === "}") to += 1;
  const found = text.slice(from, to);
  const isDouble = found.length > end + 1 - at || braces.close.get(at + 1) === end - 1;
  if (!isDouble && OURS.test(found)) return { found, at: from, replacement: found };
  const field = fieldOf(keyOf(found));
  if (field !== undefined) return { found, at: from, replacement: field };
  const spintax = !isDouble && braces.choice.has(at);
  return { found, at: from, replacement: spintax ? firstAlternative(text, at, end, braces) : null };
}

/** The name between braces, without filters and alternatives behind it; empty where it is too long for one, or holds braces itself. */
function keyOf(found: string): string {
  if (found.length > KEY_MAX) return "";
  const key = /^\{+([^{}|]*)(?:\|[^{}]*)?\}+$/.exec(found);
  return key?.[1] ?? "";
}

/** `{nome, tudo bem?`: somebody forgot the brace. */
function unclosed(text: string, at: number): Placeholder | null {
  CALLED.lastIndex = at;
  const match = CALLED.exec(text);
  if (!match || fieldOf(match[0].slice(1)) === undefined) return null;
  return { found: match[0], at, replacement: null };
}

/** What the first of the alternatives says, of those inside it too. */
function firstAlternative(text: string, start: number, end: number, braces: Braces): string {
  let said = "";
  /** Of each open pair: whether it is a choice, and whether its first alternative is over. */
  const open: { choice: boolean; over: boolean }[] = [];
  let over = 0;
  for (let at = start; at <= end; at += 1) {
    const sign = text[at];
    const inner = open.at(-1);
    if (sign === "{") {
      const choice = braces.choice.has(at);
      open.push({ choice, over: false });
      if (choice) continue;
    } else if (sign === "}") {
      open.pop();
      if (inner?.over) over -= 1;
      if (inner?.choice) continue;
    } else if (sign === "|" && inner?.choice) {
      if (!inner.over) over += 1;
      inner.over = true;
      continue;
    }
    if (over === 0) said += sign;
  }
  return said;
}
