import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { FieldCode } from "../../contract/error-messages.ts";
import type { Session } from "../db/client.ts";
import { escaped } from "./copy-text.ts";
import type { Sorted } from "./import-sort.ts";
import { contactWindow } from "./import-window.ts";

/** Sorted rows on their way into the database, through COPY, in the session's running transaction. */
export type ImportCopy = Sorted & {
  /** Hands on what has gathered; waits when the database is slower than we. */
  flush(): Promise<void>;
  end(): Promise<void>;
  /** After a fault: the COPY under way must fail before its transaction can be rolled back. */
  abort(): void;
};

const CONTACTS = "copy contact (list_id, seq, phone, name) from stdin";
const ROWS = "copy contact_import_row (import_id, row_number, kind, name, value, reason) from stdin";

/** So many contacts are worth being sorted by themselves when the database has nothing to do. */
const WORTHWHILE = 8_000;
/** Bytes of refused rows that gather before the contacts make room for them. */
const ROWS_BYTES = 512 * 1024;
/** Rows with an added ninth digit that are kept: the report shows so many, and their sum. */
const NINTH_KEPT = 100;
const VALUE_CHARS = 200;
/** Names for contacts that came without one, which gather before they are written to those. */
const NAMES = 10_000;

/** `name`: gives contacts that are written their names, by phone. */
export function importCopy(
  session: Session,
  importId: number,
  listId: number,
  name: (names: ReadonlyMap<number, string>) => Promise<void>,
): ImportCopy {
  const windows = [contactWindow(listId), contactWindow(listId)] as const;
  let turn: 0 | 1 = 0;
  let writing: Promise<void> = Promise.resolve();
  let idle = true;
  let rows = "";
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let ninth = 0;
  let notedRow = 0;
  const names = new Map<number, string>();
  let copy: Copy | null = null;

  const note = (
    row: number,
    kind: "refused" | "ninth_added",
    name: string,
    value: string,
    reason: string,
  ) => {
    // A line of several phones may come twice; a row has one note, the first, which is that of what was refused.
    if (row === notedRow) return;
    notedRow = row;
    rows += `${importId}\t${row}\t${kind}\t${kept(name)}\t${kept(value)}\t${reason}\n`;
  };

  /** Begins to write the window and gathers in the other one meanwhile, so that neither side waits for the other. */
  async function turnWindow(): Promise<void> {
    await writing;
    copy ??= begin(session, CONTACTS);
    idle = false;
    writing = writeAll(copy, windows[turn].drain()).finally(() => {
      idle = true;
    });
    // The rejection is handled at the next await.
    writing.catch(() => undefined);
    turn = turn === 0 ? 1 : 0;
  }

  function takeRows(): void {
    if (rows === "") return;
    // As bytes: a string cut out of the file's text keeps the whole piece of text alive as long as it is itself.
    const bytes = Buffer.from(rows);
    rows = "";
    gathered.push(bytes);
    gatheredBytes += bytes.length;
  }

  async function flush(): Promise<void> {
    const window = windows[turn];
    if (window.isFull() || (idle && window.size() >= WORTHWHILE)) await turnWindow();
    takeRows();
    if (gatheredBytes >= ROWS_BYTES) await writeRows();
    if (names.size >= NAMES) await writeAllSoFar();
  }

  /** Names come last: whom they belong to must be there. */
  async function writeAllSoFar(): Promise<void> {
    await turnWindow();
    await writeRows();
    if (names.size === 0) return;
    await name(names);
    names.clear();
  }

  async function writeRows(): Promise<void> {
    await writing;
    // One connection carries one COPY at a time.
    await copy?.finish();
    copy = null;
    if (gatheredBytes === 0) return;
    copy = begin(session, ROWS);
    await copy.write(Buffer.concat(gathered));
    gathered = [];
    gatheredBytes = 0;
    await copy.finish();
    copy = null;
  }

  return {
    flush,
    contact: (seq, phone, name) => windows[turn].add(seq, phone, name),
    named: (phone, name) => void names.set(phone, name),
    refused(row, name, value, reason: FieldCode) {
      note(row, "refused", name, value, reason);
    },
    ninthAdded(row, name, value) {
      if (++ninth <= NINTH_KEPT) note(row, "ninth_added", name, value, "");
    },
    async end() {
      await flush();
      await writeAllSoFar();
    },
    abort() {
      copy?.abort();
    },
  };
}

async function writeAll(copy: Copy, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) await copy.write(piece);
}

type Copy = { write(bytes: Buffer): Promise<void>; finish(): Promise<void>; abort(): void };

function begin(session: Session, statement: string): Copy {
  const stream = session.copyIn(statement);
  let fault: unknown = null;
  stream.on("error", (error) => {
    fault ??= error;
  });
  const check = () => {
    if (fault) throw fault;
  };
  return {
    async write(bytes) {
      check();
      if (!stream.write(bytes)) await once(stream, "drain");
    },
    async finish() {
      check();
      stream.end();
      await finished(stream);
    },
    abort() {
      if (!fault) stream.destroy(new Error("import given up"));
    },
  };
}

/** What a person typed, cut to what helps to find it, in a form that the database can hold. */
function kept(text: string): string {
  return escaped(text.slice(0, VALUE_CHARS).toWellFormed().replaceAll("\0", "\ufffd"));
}
