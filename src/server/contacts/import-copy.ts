import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FieldCode } from "../../contract/error-messages.ts";
import type { Session } from "../db/client.ts";
import { INCOMING, type Merged } from "./import-merge.ts";
import type { SortedPerson, SortedRows } from "./import-sort.ts";

const ROWS = "copy contact_import_row (import_id, row_number, kind, name, value, reason) from stdin";

/** People of a batch: one is written while the next is read; a larger one makes pages wait. */
const BATCH = 10_000;
const NOTES_BYTES = 512 * 1024;
/** The report lists this many added ninth digits; the rest are only counted. */
const NINTH_KEPT = 100;
const VALUE_CHARS = 200;
const NAMES = 10_000;

export type CopyTarget = {
  session: Session;
  importId: number;
  merge(rows: number): Promise<Merged>;
  namePeople(names: ReadonlyMap<number, string>): Promise<void>;
};

type Batch = { people: string; rows: number; notes: Buffer[]; names: ReadonlyMap<number, string> };

export class ImportCopy implements SortedRows {
  readonly #target: CopyTarget;
  readonly #merged: Merged = { added: 0, placed: 0, erased: 0 };
  #people = "";
  #rows = 0;
  #notes = "";
  #noteBytes: Buffer[] = [];
  #notesSize = 0;
  #lastNoted = 0;
  #ninths = 0;
  #names = new Map<number, string>();
  #copy: CopyStream | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(target: CopyTarget) {
    this.#target = target;
  }

  get merged(): Readonly<Merged> {
    return this.#merged;
  }

  contact({ seq, phone, name, row, fields }: SortedPerson): void {
    this.#people += `${seq}\t${phone}\t${row}\t${escaped(name)}\t${fields === "" ? "{}" : escaped(fields)}\n`;
    this.#rows++;
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

  async flush(): Promise<void> {
    this.#packNotes();
    if (this.#rows >= BATCH || this.#notesSize >= NOTES_BYTES || this.#names.size >= NAMES)
      await this.#hand();
  }

  async end(): Promise<void> {
    this.#packNotes();
    await this.#hand();
    await this.#writing;
  }

  /** After an error, before the rollback: a batch that went on would be written outside the transaction. */
  async abort(): Promise<void> {
    this.#isOver = true;
    this.#copy?.abort();
    await this.#writing.catch(() => undefined);
  }

  #note(row: number, kind: "refused" | "ninth_added", [name, value, reason]: [string, string, string]): void {
    // A line of several phones may be noted twice; its first note, the refusal, is kept.
    if (row === this.#lastNoted) return;
    this.#lastNoted = row;
    this.#notes += `${this.#target.importId}\t${row}\t${kind}\t${storable(name)}\t${storable(value)}\t${reason}\n`;
  }

  #packNotes(): void {
    if (this.#notes === "") return;
    // As bytes: a slice of the file's text would keep its whole piece in memory.
    const bytes = Buffer.from(this.#notes);
    this.#notes = "";
    this.#noteBytes.push(bytes);
    this.#notesSize += bytes.length;
  }

  async #hand(): Promise<void> {
    await this.#writing;
    const batch = { people: this.#people, rows: this.#rows, notes: this.#noteBytes, names: this.#names };
    [this.#people, this.#rows, this.#noteBytes, this.#notesSize] = ["", 0, [], 0];
    this.#names = new Map();
    this.#writing = this.#write(batch);
    // Its error is thrown at the next await.
    this.#writing.catch(() => undefined);
  }

  async #write({ people, rows, notes, names }: Batch): Promise<void> {
    if (rows > 0) {
      await this.#copyIn(INCOMING, people);
      const { added, placed, erased } = await this.#target.merge(rows);
      this.#merged.added += added;
      this.#merged.placed += placed;
      this.#merged.erased += erased;
    }
    if (notes.length > 0 && !this.#isOver) await this.#copyIn(ROWS, Buffer.concat(notes));
    // Their people must be in the table first.
    if (names.size > 0 && !this.#isOver) await this.#target.namePeople(names);
  }

  async #copyIn(statement: string, lines: string | Buffer): Promise<void> {
    this.#copy = new CopyStream(this.#target.session, statement);
    await this.#copy.write(lines);
    await this.#copy.finish();
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

function storable(text: string): string {
  return escaped(text.slice(0, VALUE_CHARS).toWellFormed().replaceAll("\0", "\ufffd"));
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** COPY splits values at a backslash, tab or line end. */
function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? "") : text;
}
