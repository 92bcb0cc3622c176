import { fieldKey } from "./field-key.ts";
import { fieldOf } from "./field-words.ts";
import { markOf, SURNAME } from "./variables.ts";

/** Text that another sender would replace; we send it literally. */
export type Placeholder = {
  found: string;
  at: number;
  /** Our equivalent, or the first spintax alternative; null without one. */
  replacement: string | null;
};

/** Matching `}` of each `{`, without strays, and whether a top-level `|` separates alternatives. */
type Braces = { close: ReadonlyMap<number, number>; choice: ReadonlySet<number> };

const KEY_MAX = 100;
const NO_FIELDS: ReadonlySet<string> = new Set();
const SURNAME_MARK = markOf(SURNAME);
const OURS = /^\{(?:nome|primeiro_nome)\}$/iu;
const CALLED = /\{[ \t]*[\p{L}_]{3,30}(?![\p{L}\p{N}_])/uy;
/** Prefixes of other template languages; `R${` is a price. */
const SIGN_BEFORE = /(?<![\p{L}])[$#%]$/u;

// Bounded patterns with distinct first characters keep the scan linear.
const MARKED: readonly RegExp[] = [
  /\[{1,2}([\p{L}_][\p{L}\p{N}_ .-]{0,39})\]{1,2}/uy,
  /%{1,2}([\p{L}_][\p{L}\p{N}_.-]{0,39})%{1,2}/uy,
  /<{1,2}%?=? ?([\p{L}_][\p{L}\p{N}_ .-]{0,39}?) ?%?>{1,2}/uy,
  /#{1,2}([\p{L}_][\p{L}\p{N}_.-]{0,39})#{1,2}(?![\p{L}\p{N}_])/uy,
  /\$([\p{L}_][\p{L}\p{N}_]{0,39})(?:\$|(?![\p{L}\p{N}_]))/uy,
];
const STARTS = "[%<#$";
/** Part of a word, price or tag (`#promo#data`, `R$valor`). */
const PART_OF_WORD = /[\p{L}\p{N}_]$/u;
/** Mailchimp's `*|FNAME|*`. */
const MERGE_TAG = /\*\|([\p{L}\p{N}_: -]{1,40})\|\*/uy;

/**
 * Foreign braces, spintax, and `[Nome]`, `%nome%`, `#NOME#`. `fields`: marks such as `{data}`. Linear time.
 */
export function findPlaceholders(text: string, fields: ReadonlySet<string> = NO_FIELDS): Placeholder[] {
  const braces = readBraces(text);
  const all: Placeholder[] = [];
  for (let at = 0; at < text.length; ) {
    const one = placeholderAt(text, at, braces);
    const meant = one && withField(one, fields);
    if (meant && meant.replacement !== one.found) all.push(meant);
    at = one ? one.at + one.found.length : at + 1;
  }
  return all;
}

function withField(one: Placeholder, fields: ReadonlySet<string>): Placeholder {
  if (fields.has(one.found.toLowerCase())) return { ...one, replacement: one.found };
  if (one.found.toLowerCase() === SURNAME_MARK) return { ...one, replacement: null };
  const named = one.replacement !== null && one.replacement !== SURNAME_MARK;
  if (named || one.found.length > KEY_MAX || fields.size === 0) return one;
  const mark = `{${fieldKey(one.found)}}`;
  return fields.has(mark) ? { ...one, replacement: mark } : one;
}

export function distinctPlaceholders(text: string, fields: ReadonlySet<string> = NO_FIELDS): Placeholder[] {
  return [...new Map(findPlaceholders(text, fields).map((one) => [one.found, one])).values()];
}

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
  // A stray brace belongs to it: `{{nome}` contains no placeholder of ours.
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

function keyOf(found: string): string {
  if (found.length > KEY_MAX) return "";
  const key = /^\{+([^{}|]*)(?:\|[^{}]*)?\}+$/.exec(found);
  return key?.[1] ?? "";
}

/** `{nome, tudo bem?`: the closing brace is missing. */
function unclosed(text: string, at: number): Placeholder | null {
  CALLED.lastIndex = at;
  const match = CALLED.exec(text);
  if (!match || fieldOf(match[0].slice(1)) === undefined) return null;
  return { found: match[0], at, replacement: null };
}

function firstAlternative(text: string, start: number, end: number, braces: Braces): string {
  let said = "";
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
