import { AppError } from "./errors.ts";

export type JsonEvents = {
  top(sign: string): void;
  begin(sign: string, isKey: boolean): void;
  text(piece: string): void;
  end(): void;
};

/** Upper-case ones also allow the container's end, just after its start. */
type Expected = "value" | "VALUE" | "key" | "KEY" | "colon" | "comma" | "end";
type Place = { line: number; column: number };

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SCALAR_LIMIT = 1_000;
const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE, BACKSLASH, LETTER_U] = [9, 10, 13, 32, 34, 92, 117];
const HEX_DIGITS = 4;
const ESCAPES = '"\\/bfnrt';
const SIGNS = "[]{},:";

/**
 * Constant memory and no recursion, so ten thousand brackets are harmless. Like JSON.parse, except numbers
 * over a thousand digits. Throws `json_invalid`.
 */
export class JsonScanner {
  readonly #events: JsonEvents;
  #expected: Expected = "value";
  readonly #open = new Brackets();
  #token: "none" | "string" | "scalar" = "none";
  #isKey = false;
  /** 0: no escape, 1: after the backslash, 2 to 5: before the hex digits. */
  #escape = 0;
  #escapeAt: Place | null = null;
  #scalar = "";
  #scalarAt: Place | null = null;
  #line = 1;
  #before = 0;
  #lineStart = 0;
  #inside = false;
  #memberFrom = 0;

  constructor(events: JsonEvents) {
    this.#events = events;
  }

  push(text: string): void {
    this.#memberFrom = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#token === "string") this.#inString(text, at, code);
      else {
        if (this.#token === "scalar" && !this.#goesOn(text, at, code)) this.#endScalar(text, at);
        if (this.#token === "none") this.#between(text, at, code);
      }
    }
    if (this.#inside && this.#memberFrom < text.length) this.#events.text(text.slice(this.#memberFrom));
    this.#before += text.length;
  }

  end(): void {
    if (this.#token === "scalar") {
      this.#memberFrom = 0;
      this.#endScalar("", 0);
    }
    if (this.#escapeAt) throw invalid(this.#escapeAt);
    if (this.#expected !== "end" || this.#token !== "none") throw invalid(this.#placeOf(0));
  }

  #inString(text: string, at: number, code: number): void {
    if (this.#escape > 0) this.#inEscape(code);
    else if (code === BACKSLASH) {
      this.#escape = 1;
      this.#escapeAt = this.#placeOf(at);
    } else if (code < SPACE) throw invalid(this.#placeOf(at));
    else if (code === QUOTE) {
      this.#token = "none";
      if (this.#open.depth <= 1) this.#endMember(text, at + 1);
    }
  }

  #inEscape(code: number): void {
    const isFirst = this.#escape === 1;
    const fits = isFirst ? code === LETTER_U || ESCAPES.includes(String.fromCharCode(code)) : isHex(code);
    if (!fits) throw invalid(this.#escapeAt ?? this.#placeOf(0));
    const goesOn = isFirst ? code === LETTER_U : this.#escape <= HEX_DIGITS;
    this.#escape = goesOn ? this.#escape + 1 : 0;
    if (this.#escape === 0) this.#escapeAt = null;
  }

  #goesOn(text: string, at: number, code: number): boolean {
    const ends = isBlank(code) || code === QUOTE || SIGNS.includes(text[at] as string);
    if (ends) return false;
    if (this.#scalar.length >= SCALAR_LIMIT) throw invalid(this.#scalarAt ?? this.#placeOf(at));
    this.#scalar += text[at];
    return true;
  }

  #endScalar(text: string, at: number): void {
    SCALAR.lastIndex = 0;
    const fits = SCALAR.test(this.#scalar) ? SCALAR.lastIndex : 0;
    const { line, column } = this.#scalarAt ?? this.#placeOf(at);
    if (fits < this.#scalar.length) throw invalid({ line, column: column + fits });
    this.#token = "none";
    if (this.#open.depth <= 1) this.#endMember(text, at);
  }

  #between(text: string, at: number, code: number): void {
    if (isBlank(code)) {
      if (code !== LINE_FEED) return;
      this.#line++;
      this.#lineStart = this.#before + at + 1;
      return;
    }
    const sign = text[at] as string;
    const expected = this.#expected;
    const next = this.#follow(sign);
    if (next === null) throw invalid(this.#placeOf(at));
    this.#expected = next;
    if (sign === "," || sign === ":") return;
    if (sign === "]" || sign === "}") {
      if (this.#open.depth === 1) this.#endMember(text, at + 1);
      return;
    }
    this.#isKey = expected === "key" || expected === "KEY";
    const opens = sign === "[" || sign === "{";
    const around = this.#open.depth - (opens ? 1 : 0);
    if (around === 0) this.#events.top(sign);
    if (around === 1) this.#beginMember(sign, at);
    if (sign === '"') this.#token = "string";
    else if (!opens) {
      this.#token = "scalar";
      this.#scalar = sign;
      this.#scalarAt = this.#placeOf(at);
    }
  }

  #follow(sign: string): Expected | null {
    if (sign === "]" || sign === "}") {
      const isAllowed = this.#expected === "comma" || this.#expected === (sign === "]" ? "VALUE" : "KEY");
      if (!isAllowed || !this.#open.close(sign)) return null;
      return this.#open.depth === 0 ? "end" : "comma";
    }
    switch (this.#expected) {
      case "comma":
        return sign !== "," ? null : this.#open.isInList() ? "value" : "key";
      case "colon":
        return sign === ":" ? "value" : null;
      case "key":
      case "KEY":
        return sign === '"' ? "colon" : null;
      case "end":
        return null;
    }
    if (sign === "," || sign === ":") return null;
    if (sign !== "[" && sign !== "{") return this.#open.depth === 0 ? "end" : "comma";
    this.#open.open(sign);
    return sign === "[" ? "VALUE" : "KEY";
  }

  #beginMember(sign: string, at: number): void {
    this.#inside = true;
    this.#memberFrom = at;
    this.#events.begin(sign, this.#isKey);
  }

  #endMember(text: string, to: number): void {
    if (!this.#inside) return;
    this.#inside = false;
    if (to > this.#memberFrom) this.#events.text(text.slice(this.#memberFrom, to));
    this.#events.end();
  }

  #placeOf(at: number): Place {
    return { line: this.#line, column: this.#before + at - this.#lineStart + 1 };
  }
}

/** One byte per open bracket: ten megabytes of brackets would be eighty as an array. */
class Brackets {
  #kinds = Buffer.alloc(256);
  depth = 0;

  open(sign: "[" | "{"): void {
    if (this.depth === this.#kinds.length)
      this.#kinds = Buffer.concat([this.#kinds, Buffer.alloc(this.depth)]);
    this.#kinds[this.depth++] = sign.charCodeAt(0);
  }

  close(sign: "]" | "}"): boolean {
    if (this.depth === 0 || this.isInList() !== (sign === "]")) return false;
    this.depth--;
    return true;
  }

  isInList(): boolean {
    return this.#kinds[this.depth - 1] === "[".charCodeAt(0);
  }
}

const isBlank = (code: number) =>
  code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;

const isHex = (code: number) => /[0-9a-fA-F]/.test(String.fromCharCode(code));

const invalid = ({ line, column }: Place) => new AppError("json_invalid", { line, column });
