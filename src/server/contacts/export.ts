import { contactRecord, csvHeader, csvRecord } from "../../domain/csv-write.ts";
import type { Owner } from "../db/owner.ts";
import { textStream } from "../http/text-stream.ts";
import { words } from "../words.ts";
import { findNotedRows, type NotedRow } from "./imports-repo.ts";
import { findContactColumns } from "./repo.ts";
import { reasonCode } from "./shown.ts";

const PAGE = 5_000;

/** A list as CSV, read while it is sent. `name`: of the file, safe by construction. */
export function listFile(owner: Owner, list: { id: number; contacts: number }, name: string): Response {
  const read = (after: number) => {
    const page = findContactColumns(owner, list.id, after, PAGE);
    // Told to whoever awaits it, which nobody does once the reader has left.
    page.catch(() => undefined);
    return page;
  };
  async function* records() {
    // The first page is being read while the heading is sent, each following one while the page before is written and sent.
    let next = read(-1);
    yield csvHeader(words().files.contacts);
    let written = 0;
    for (let page = await next; page; page = await next) {
      next = read(page.last);
      const { names, phones } = page;
      yield names.map((each, at) => contactRecord(each, String(phones[at]))).join("");
      written += names.length;
    }
    // Deleted meanwhile: a cut download, which the browser reports, not a short file that looks whole.
    if (written < list.contacts) throw new Error(`list ${list.id} lost contacts while it was exported`);
  }
  return csvFile(records(), name);
}

/** The refused rows of an import, to correct and import again. */
export function refusedFile(owner: Owner, importId: number): Response {
  async function* records() {
    yield csvHeader(words().files.refused);
    let after = -1;
    for (;;) {
      const rows = await findNotedRows(owner, importId, "refused", { after, limit: PAGE });
      const last = rows.at(-1);
      if (!last) return;
      const reason = (row: NotedRow) => words().fieldText(reasonCode(row.reason));
      yield rows.map((row) => csvRecord([row.name, row.value, reason(row)])).join("");
      after = last.row_number;
    }
  }
  return csvFile(records(), `${importId}_recusados.csv`);
}

export function csvFile(chunks: AsyncGenerator<string>, name: string): Response {
  return textStream(chunks, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "no-store",
  });
}

/** `{id}_{yyyyMMdd-HHmmss}_contatos.csv`, the time being that of the list's creation on its owner's clock. */
export function exportName(list: { id: number; created_at: Date }, timeZone: string): string {
  // The Swedish form is ISO's: 2026-11-20 09:05:07.
  const time = list.created_at
    .toLocaleString("sv-SE", { timeZone })
    .replaceAll(/[-:]/g, "")
    .replace(" ", "-");
  return `${list.id}_${time}_contatos.csv`;
}
