import { setImmediate } from "node:timers/promises";
import { csvHeader, csvRecord } from "../../domain/csv-write.ts";
import { words } from "../base/locale.ts";
import type { Database } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { contactBytes } from "./contact-bytes.ts";
import { findNotedRows, type NotedRow } from "./imports-repo.ts";
import { reasonCode } from "./presenter.ts";
import { copyOfContacts } from "./repo.ts";

const PAGE = 5_000;
/** Some 15 ms of the database and 1.3 MB here. */
const COPIED = 40_000;
/** Each COPY runs at database speed and the next after delivery, so a slow reader holds no connection. */
export function listExporter({ copyOut }: Pick<Database, "copyOut">, downloads: Downloads) {
  return (owner: Owner, list: { id: number; contacts: number }, name: string): Response => {
    let left = false;
    const spare: Buffer[] = [];
    const read = (after: number) => {
      const page = downloads.page(owner.accountId, async () => {
        const contacts = contactBytes(spare);
        if (!left) await copyOut(copyOfContacts(owner, list.id, after, COPIED), contacts.take);
        return contacts.done();
      });
      // An abandoned page would be an unhandled rejection.
      page.catch(() => undefined);
      return page;
    };
    async function* records() {
      try {
        // One page ahead.
        let next = read(-1);
        yield csvHeader(words().files.contacts);
        let written = 0;
        for (let page = await next; page.rows > 0; page = await next) {
          next = read(page.last);
          // Else the database idles while this page is written.
          await setImmediate();
          yield page.records();
          written += page.rows;
        }
        // Its list is deleted: a short file would look complete.
        if (written < list.contacts) throw new Error(`list ${list.id} lost contacts while it was exported`);
      } finally {
        left = true;
      }
    }
    return downloads.send(owner.accountId, records(), csvHeaders(name));
  };
}

/** `refused`: the import's count. */
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

/** Time in the owner's zone. */
export function exportName(list: { id: number; created_at: Date }, timeZone: string): string {
  // Swedish format is ISO: 2026-11-20 09:05:07.
  const time = list.created_at
    .toLocaleString("sv-SE", { timeZone })
    .replaceAll(/[-:]/g, "")
    .replace(" ", "-");
  return `${list.id}_${time}_contatos.csv`;
}
