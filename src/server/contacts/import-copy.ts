import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { FieldCode } from "../../contract/error-messages.ts";
import type { Session } from "../db/client.ts";
import type { Sorted } from "./import-sort.ts";

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

/** Refused rows that gather before the contacts make room for them. */
const ROWS_CHARS = 512 * 1024;
/** Rows with an added ninth digit that are kept: the report shows so many, and their sum. */
const NINTH_KEPT = 100;
const VALUE_CHARS = 200;

export function importCopy(session: Session, importId: number, listId: number): ImportCopy {
  let contacts = "";
  let rows = "";
  let ninth = 0;
  let copy: Copy | null = null;

  const note = (
    row: number,
    kind: "refused" | "ninth_added",
    name: string,
    value: string,
    reason: string,
  ) => {
    rows += `${importId}\t${row}\t${kind}\t${kept(name)}\t${kept(value)}\t${reason}\n`;
  };

  async function flush(): Promise<void> {
    if (contacts !== "") {
      copy ??= begin(session, CONTACTS);
      const text = contacts;
      contacts = "";
      await copy.write(text);
    }
    if (rows.length >= ROWS_CHARS) await flushRows();
  }

  /** Ends the contacts' COPY, since one connection carries one at a time, and copies the rows that have gathered. */
  async function flushRows(): Promise<void> {
    await copy?.finish();
    copy = null;
    if (rows === "") return;
    const text = rows;
    rows = "";
    copy = begin(session, ROWS);
    await copy.write(text);
    await copy.finish();
    copy = null;
  }

  return {
    flush,
    contact(seq, phone, name) {
      contacts += `${listId}\t${seq}\t${phone}\t${escaped(name)}\n`;
    },
    refused(row, name, value, reason: FieldCode) {
      note(row, "refused", name, value, reason);
    },
    ninthAdded(row, name, value) {
      if (++ninth <= NINTH_KEPT) note(row, "ninth_added", name, value, "");
    },
    async end() {
      await flush();
      await flushRows();
    },
    abort() {
      copy?.abort();
    },
  };
}

type Copy = { write(text: string): Promise<void>; finish(): Promise<void>; abort(): void };

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
    async write(text) {
      check();
      if (!stream.write(text)) await once(stream, "drain");
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

/** COPY's text form: a backslash, tab or line end in a value would part it. */
function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (c) => ESCAPES[c] ?? "") : text;
}
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** What a person typed, cut to what helps to find it, in a form that the database can hold. */
function kept(text: string): string {
  return escaped(text.slice(0, VALUE_CHARS).toWellFormed().replaceAll("\0", "\ufffd"));
}
