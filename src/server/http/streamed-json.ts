import { AppError } from "../../domain/errors.ts";
import { JsonScanner } from "../../domain/json-scan.ts";
import { fieldError } from "./errors.ts";

/** Maximum field length in characters, and number of fields. */
const FIELD_LIMIT = 64 * 1024;
const MOST_FIELDS = 40;
const NAME_LIMIT = 100;
/** In one piece a body would block everything. */
const PIECE = 64 * 1024;

/**
 * Streams one long JSON field and keeps the others. Throws `readJson` errors only at the end: a browser still
 * sending would show a broken connection.
 */
export class StreamedJson<Fields> {
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #field: string;
  readonly #parse: (value: unknown) => Fields;
  readonly #fields = new Map<string, unknown>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #scanner: JsonScanner;
  #isObject = false;
  #key = "";
  #member: "key" | "kept" | "string" | "written" = "key";
  #held = "";
  #isOpening = false;
  #out = "";
  #found = false;

  constructor(body: AsyncIterable<Uint8Array>, field: string, parse: (value: unknown) => Fields) {
    this.#body = body;
    this.#field = field;
    this.#parse = parse;
    this.#scanner = new JsonScanner({
      top: (sign) => {
        this.#isObject = sign === "{";
      },
      begin: (sign, isKey) => this.#begin(sign, isKey),
      text: (piece) => this.#take(piece),
      end: () => this.#end(),
    });
  }

  /** UTF-8 of a string, other values as written; read once, to the end. */
  async *text(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    let thrown: unknown = null;
    for await (const chunk of this.#body)
      for (let at = 0; at < chunk.length && thrown === null; at += PIECE) {
        try {
          this.#read(chunk.subarray(at, at + PIECE));
        } catch (error) {
          thrown = error;
        }
        if (this.#out !== "") yield encoder.encode(this.#taken());
      }
    if (thrown !== null) throw thrown;
    this.#read(null);
  }

  /** After the text; throws schema errors. */
  fields(): Fields {
    return this.#parse(this.#isObject ? Object.fromEntries(this.#fields) : null);
  }

  isFound(): boolean {
    return this.#found;
  }

  /** Null at the end. */
  #read(bytes: Uint8Array | null): void {
    try {
      this.#scanner.push(bytes ? this.#decoder.decode(bytes, { stream: true }) : this.#decoder.decode());
      if (!bytes) this.#scanner.end();
    } catch (error) {
      if (error instanceof AppError && error.code !== "json_invalid") throw error;
      throw new AppError("invalid_request");
    }
    if (this.#member === "string") this.#passOn(this.#held.slice(0, wholeEscapes(this.#held)));
  }

  #begin(sign: string, isKey: boolean): void {
    this.#held = "";
    if (!this.#isObject || isKey) this.#member = "key";
    else if (this.#key !== this.#field) this.#member = "kept";
    else if (this.#found) throw new AppError("invalid_request");
    else {
      this.#found = true;
      this.#member = sign === '"' ? "string" : "written";
      this.#isOpening = true;
    }
  }

  #take(piece: string): void {
    if (this.#member === "written") this.#out += piece;
    else if (this.#member === "string") this.#held += piece;
    else this.#held += piece.slice(0, FIELD_LIMIT + 1 - this.#held.length);
  }

  #end(): void {
    const text = this.#held;
    if (this.#member === "key") this.#key = text.length > NAME_LIMIT ? text.slice(1, NAME_LIMIT) : said(text);
    else if (this.#member === "string") this.#passOn(text.slice(0, -1));
    else if (this.#member === "kept") this.#keep(text);
    this.#member = "key";
  }

  #keep(text: string): void {
    if (text.length > FIELD_LIMIT) throw new AppError("payload_too_large");
    if (this.#fields.size >= MOST_FIELDS && !this.#fields.has(this.#key)) return;
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") this.#refuseBadText(this.#key, value);
    this.#fields.set(this.#key, value);
  }

  #passOn(written: string): void {
    this.#held = this.#held.slice(written.length);
    const text = said(this.#isOpening ? `${written}"` : `"${written}"`);
    if (written !== "") this.#isOpening = false;
    this.#refuseBadText(this.#field, text);
    this.#out += text;
  }

  /** Invalid in PostgreSQL or UTF-8. */
  #refuseBadText(field: string, text: string): void {
    if (!text.isWellFormed() || text.includes("\0")) throw fieldError({ [field]: "invalid_text" });
  }

  #taken(): string {
    const text = this.#out;
    this.#out = "";
    return text;
  }
}

const said = (written: string) => JSON.parse(written) as string;

const FIRST_HALF = /^\\ud[89ab]/i;

/** Readable length: up to an incomplete escape or surrogate pair. */
function wholeEscapes(text: string): number {
  let halfFrom = -1;
  let halfTo = -1;
  for (let at = text.indexOf("\\"); at !== -1; ) {
    const end = at + (text[at + 1] === "u" ? 6 : 2);
    if (end > text.length) return halfTo === at ? halfFrom : at;
    if (FIRST_HALF.test(text.slice(at, end))) {
      halfFrom = at;
      halfTo = end;
    }
    at = text.indexOf("\\", end);
  }
  return halfTo === text.length ? halfFrom : text.length;
}
