import { setImmediate } from "node:timers/promises";
import { contactRecord, csvHeader, csvRecord } from "../../domain/csv-write.ts";
import { words } from "../base/locale.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { findNotedRows, type NotedRow } from "./imports-repo.ts";
import { reasonCode } from "./presenter.ts";
import { EMPTY_PAGE, type ExportPage, findExportPage } from "./repo.ts";

const PAGE = 10_000;

type ExportedList = { id: number; contacts: number };

/** Answers a list as CSV, one page of contacts at a time: a slow reader holds no connection between pages. */
export function listFile(
  { owner, downloads }: { owner: Owner; downloads: Downloads },
  list: ExportedList,
  name: string,
): Response {
  const records = listRecords(owner, downloads, list);
  return downloads.send(owner.accountId, records, csvHeaders(name));
}

async function* listRecords(owner: Owner, downloads: Downloads, list: ExportedList): AsyncGenerator<string> {
  let left = false;
  const read = (after: number) => {
    const page = downloads.page(owner.accountId, async () =>
      left ? EMPTY_PAGE : findExportPage(owner, list.id, { after, limit: PAGE }),
    );
    // The rejection is handled at the next await, unless the reader has left.
    page.catch(() => undefined);
    return page;
  };
  try {
    // Each page is read while the one before is written and sent.
    let next: Promise<ExportPage> | null = read(-1);
    yield csvHeader(words().files.contacts);
    let written = 0;
    while (next) {
      const { names, phones, last }: ExportPage = await next;
      next = last !== null && names.length === PAGE ? read(last) : null;
      // The next query is sent first; otherwise the database would wait while this page is written.
      await setImmediate();
      if (last !== null) yield names.map((name, at) => contactRecord(name, String(phones[at]))).join("");
      written += names.length;
    }
    // A cut download is reported by the browser; a short file would look whole.
    if (written < list.contacts) throw new Error(`list ${list.id} lost contacts while it was exported`);
  } finally {
    left = true;
  }
}

/** The refused rows of an import, to correct and import again; none once they are deleted. `refused`: their former number. */
export function refusedFile(
  { owner, downloads }: { owner: Owner; downloads: Downloads },
  importId: number,
  refused: number,
): Response {
  async function* records() {
    yield csvHeader(words().files.refused);
    let after = -1;
    let written = 0;
    for (;;) {
      const rows = await downloads.page(owner.accountId, () =>
        findNotedRows(owner, importId, "refused", { after, limit: PAGE }),
      );
      const last = rows.at(-1);
      if (!last) break;
      written += rows.length;
      const reason = (row: NotedRow) => words().fieldText(reasonCode(row.reason));
      yield rows.map((row) => csvRecord([row.name, row.value, reason(row)])).join("");
      after = last.row_number;
    }
    // Deleted with their list during the download: cut as well.
    if (written > 0 && written < refused)
      throw new Error(`import ${importId} lost rows while they were exported`);
  }
  return downloads.send(owner.accountId, records(), csvHeaders(`${importId}_recusados.csv`));
}

export const csvHeaders = (name: string) => ({
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": `attachment; filename="${name}"`,
  "cache-control": "no-store",
});

/** `{id}_{yyyyMMdd-HHmmss}_contatos.csv`, the list's creation time in the owner's time zone. */
export function exportName(list: { id: number; created_at: Date }, timeZone: string): string {
  // Swedish format is ISO: 2026-11-20 09:05:07.
  const time = list.created_at
    .toLocaleString("sv-SE", { timeZone })
    .replaceAll(/[-:]/g, "")
    .replace(" ", "-");
  return `${list.id}_${time}_contatos.csv`;
}
