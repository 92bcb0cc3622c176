import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FieldCode } from "../../contract/error-messages.ts";
import type { Session } from "../db/client.ts";
import type { SortedRows } from "./import-sort.ts";

const CONTACTS = "copy contact (list_id, seq, phone, name) from stdin";
const ROWS = "copy contact_import_row (import_id, row_number, kind, name, value, reason) from stdin";

/** Bytes of refused rows that gather before the COPY of contacts is interrupted for them. */
const NOTES_BYTES = 512 * 1024;
/** The report lists this many added ninth digits; the rest are only counted. */
const NINTH_KEPT = 100;
const VALUE_CHARS = 200;
/** Late names gather up to this many before they are written. */
const NAMES = 10_000;

export type CopyTarget = {
  session: Session;
  importId: number;
  listId: number;
  /** Gives written contacts their names, by phone. */
  nameContacts(names: ReadonlyMap<number, string>): Promise<void>;
};

/** Writes sorted rows by COPY, in the session's running transaction. */
export class ImportCopy implements SortedRows {
  readonly #target: CopyTarget;
  #contacts = "";
  #notes = "";
  #noteBytes: Buffer[] = [];
  #notesSize = 0;
  #lastNoted = 0;
  #ninths = 0;
  readonly #names = new Map<number, string>();
  #copy: CopyStream | null = null;

  constructor(target: CopyTarget) {
    this.#target = target;
  }

  contact(seq: number, phone: number, name: string): void {
    this.#contacts += `${this.#target.listId}\t${seq}\t${phone}\t${escaped(name)}\n`;
  }

  named(phone: number, name: string): void {
    this.#names.set(phone, name);
  }

  refused(row: number, name: string, value: string, reason: FieldCode): void {
    this.#note(row, "refused", [name, value, reason]);
  }

  ninthAdded(row: number, name: string, value: string): void {
    if (++this.#ninths <= NINTH_KEPT) this.#note(row, "ninth_added", [name, value, ""]);
  }

  /** Writes what has gathered; waits while the database is slower. */
  async flush(): Promise<void> {
    await this.#writeContacts();
    this.#packNotes();
    if (this.#notesSize >= NOTES_BYTES) await this.#writeNotes();
    if (this.#names.size >= NAMES) await this.#writeNames();
  }

  async end(): Promise<void> {
    await this.flush();
    await this.#writeNotes();
    if (this.#names.size > 0) await this.#writeNames();
    await this.#finishCopy();
  }

  /** After an error: the transaction cannot be rolled back while a COPY is open. */
  abort(): void {
    this.#copy?.abort();
  }

  #note(row: number, kind: "refused" | "ninth_added", [name, value, reason]: [string, string, string]): void {
    // A line of several phones may be noted twice; its first note is kept, which is the refusal.
    if (row === this.#lastNoted) return;
    this.#lastNoted = row;
    this.#notes += `${this.#target.importId}\t${row}\t${kind}\t${storable(name)}\t${storable(value)}\t${reason}\n`;
  }

  async #writeContacts(): Promise<void> {
    if (this.#contacts === "") return;
    const lines = this.#contacts;
    this.#contacts = "";
    this.#copy ??= new CopyStream(this.#target.session, CONTACTS);
    await this.#copy.write(lines);
  }

  #packNotes(): void {
    if (this.#notes === "") return;
    // As bytes: a slice of the file's text would keep its whole piece in memory.
    const bytes = Buffer.from(this.#notes);
    this.#notes = "";
    this.#noteBytes.push(bytes);
    this.#notesSize += bytes.length;
  }

  async #writeNotes(): Promise<void> {
    if (this.#notesSize === 0) return;
    await this.#finishCopy();
    this.#copy = new CopyStream(this.#target.session, ROWS);
    await this.#copy.write(Buffer.concat(this.#noteBytes));
    this.#noteBytes = [];
    this.#notesSize = 0;
    await this.#finishCopy();
  }

  /** Their contacts must be in the table first. */
  async #writeNames(): Promise<void> {
    await this.#finishCopy();
    await this.#target.nameContacts(this.#names);
    this.#names.clear();
  }

  /** A connection carries one COPY at a time. */
  async #finishCopy(): Promise<void> {
    await this.#copy?.finish();
    this.#copy = null;
  }
}

class CopyStream {
  readonly #stream: Writable;
  #error: unknown = null;

  constructor(session: Session, statement: string) {
    this.#stream = session.copyIn(statement);
    this.#stream.on("error", (error) => {
      this.#error ??= error;
    });
  }

  async write(chunk: string | Buffer): Promise<void> {
    this.#check();
    if (!this.#stream.write(chunk)) await once(this.#stream, "drain");
  }

  async finish(): Promise<void> {
    this.#check();
    this.#stream.end();
    await finished(this.#stream);
  }

  abort(): void {
    if (this.#error === null) this.#stream.destroy(new Error("import given up"));
  }

  #check(): void {
    if (this.#error !== null) throw this.#error;
  }
}

/** Typed text, cut to what helps to find it, in a form that the database can store. */
function storable(text: string): string {
  return escaped(text.slice(0, VALUE_CHARS).toWellFormed().replaceAll("\0", "\ufffd"));
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** COPY's text form, where a backslash, tab or line end would split the value. */
function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? "") : text;
}
