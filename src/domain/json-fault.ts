/** Where a text stops being JSON: line and column from 1. */
export type JsonFault = { line: number; column: number };

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** What may come next; the upper-case ones also allow the container's end, since it was only just opened. */
type Expected = "value" | "VALUE" | "key" | "KEY" | "colon" | "comma" | "end";

/**
 * Finds the fault that JSON.parse only reports in words, without its place when the text is short. Null when the text is JSON.
 * Without recursion, so that ten thousand brackets are no danger.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = matchEnd(SPACE, text, 0);
  while (at < text.length) {
    const next = follow(expected, text[at] as string, open);
    if (next === null) return place(text, at);
    const token = tokenEnd(text, at);
    if (!token.whole) return place(text, token.end);
    expected = next;
    at = matchEnd(SPACE, text, token.end);
  }
  return expected === "end" ? null : place(text, at);
}

/** Where the token that begins here ends; when it is not whole, where it goes wrong. */
function tokenEnd(text: string, from: number): { end: number; whole: boolean } {
  const first = text[from] as string;
  if ("[]{},:".includes(first)) return { end: from + 1, whole: true };
  if (first !== '"') {
    const end = matchEnd(SCALAR, text, from);
    return { end, whole: end > from };
  }
  let at = from + 1;
  while (at < text.length) {
    if (text[at] === '"') return { end: at + 1, whole: true };
    const next = text[at] === "\\" ? matchEnd(ESCAPE, text, at) : at + (text.charCodeAt(at) < 32 ? 0 : 1);
    if (next === at) break;
    at = next;
  }
  return { end: at, whole: false };
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** What may follow the token that begins with `first` where `expected` was due; null when it may not stand there. */
function follow(expected: Expected, first: string, open: string[]): Expected | null {
  if (first === "]" || first === "}") {
    const allowed = expected === "comma" || expected === (first === "]" ? "VALUE" : "KEY");
    if (!allowed || open.pop() !== (first === "]" ? "[" : "{")) return null;
    return open.length === 0 ? "end" : "comma";
  }
  switch (expected) {
    case "comma":
      return first !== "," ? null : open.at(-1) === "[" ? "value" : "key";
    case "colon":
      return first === ":" ? "value" : null;
    case "key":
    case "KEY":
      return first === '"' ? "colon" : null;
    case "end":
      return null;
  }
  if (first === "," || first === ":") return null;
  if (first !== "[" && first !== "{") return open.length === 0 ? "end" : "comma";
  open.push(first);
  return first === "[" ? "VALUE" : "KEY";
}

function place(text: string, at: number): JsonFault {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
