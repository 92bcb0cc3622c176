import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { FieldCode } from "../../contract/error-messages.ts";
import type { Session } from "../db/client.ts";
import { escaped } from "./copy-text.ts";
import type { Sorted } from "./import-sort.ts";
import { contactWindow } from "./import-window.ts";

/** Through COPY, in the session's transaction. */
export type ImportCopy = Sorted & {
  /** Waits while the database is slower. */
  flush(): Promise<void>;
  end(): Promise<void>;
  /** The COPY must fail before the rollback. */
  abort(): void;
};

const CONTACTS = "copy contact (list_id, seq, phone, name) from stdin";
const ROWS = "copy contact_import_row (import_id, row_number, kind, name, value, reason) from stdin";

const WORTHWHILE = 8_000;
const ROWS_BYTES = 512 * 1024;
const NINTH_KEPT = 100;
const VALUE_CHARS = 200;
const NAMES = 10_000;

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
    // A line of several phones is noted once.
    if (row === notedRow) return;
    notedRow = row;
    rows += `${importId}\t${row}\t${kind}\t${kept(name)}\t${kept(value)}\t${reason}\n`;
  };

  /** One window is written while the other fills. */
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
    // A substring keeps the whole text in memory.
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

  /** Names last: their contacts must exist. */
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

function kept(text: string): string {
  return escaped(text.slice(0, VALUE_CHARS).toWellFormed().replaceAll("\0", "\ufffd"));
}
