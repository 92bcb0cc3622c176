import type { z } from "zod";
import type { ContactField, FieldValue } from "../../contract/contact-fields.ts";
import type { people } from "../../contract/people.ts";
import { csvHeader, numberCell, personRecord, textCell } from "../../domain/csv-write.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { words } from "../base/locale.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { csvHeaders, exportName } from "./export.ts";
import { findFields } from "./fields-repo.ts";
import { findPage, type PagedPerson, placeOf, type WantedPeople } from "./people-page.ts";
import { countShown } from "./people-repo.ts";
import { findList } from "./repo.ts";

const PAGE = 5_000;

type Query = z.output<typeof people.export.query>;
export type ExportDeps = { downloads: Downloads; timeZoneOf(owner: Owner): Promise<string> };
type Exported = Pick<WantedPeople, "listId" | "search" | "ids">;

/** In the order in which they came. */
export async function exportPeople(
  { downloads, timeZoneOf }: ExportDeps,
  owner: Owner,
  { search = "", ids, ...query }: Query,
): Promise<Response> {
  const listId = query.listId ?? null;
  const list = listId === null ? null : ((await findList(owner, listId)) ?? missing());
  await record(owner, list ? { kind: "data_exported", subject: list.name } : { kind: "people_exported" });
  const exported = { listId, search: search.trim(), ids: ids?.split(",").map(Number) ?? null };
  const name = list ? exportName(list, await timeZoneOf(owner)) : "contatos.csv";
  return downloads.send(owner.accountId, recordsOf(downloads, owner, exported), csvHeaders(name));
}

async function* recordsOf(downloads: Downloads, owner: Owner, exported: Exported): AsyncGenerator<string> {
  const { listId, search, ids } = exported;
  const fields = await findFields(owner);
  const expected = search === "" && ids === null ? ((await countShown(owner, listId)) ?? 0) : 0;
  yield csvHeader([...words().files.contacts, ...fields.map(({ label }) => label)]);
  const by = listId === null ? "created" : "seq";
  const wanted: WantedPeople = { ...exported, order: { by, descending: false }, after: null, limit: PAGE };
  for (let written = 0; ; ) {
    const rows = await downloads.page(owner.accountId, () => findPage(owner, wanted));
    if (rows.length > 0) yield rows.map((row) => recordOf(row, fields)).join("");
    written += rows.length;
    const last = rows.at(-1);
    if (last && rows.length === PAGE) wanted.after = placeOf(by, last);
    // A cut download is reported by the browser; a short file would look whole.
    else if (written < expected) throw new Error("people were removed while they were exported");
    else return;
  }
}

function recordOf({ name, phone, fields }: PagedPerson, columns: readonly ContactField[]): string {
  return personRecord(
    name,
    phone,
    columns.map(({ key }) => cellOf(Object.hasOwn(fields, key) ? fields[key] : undefined)),
  );
}

function cellOf(value: FieldValue | undefined): string {
  const { yes, no, decimal } = words().files;
  if (typeof value === "number") return numberCell(value, decimal);
  if (typeof value === "boolean") return textCell(value ? yes : no);
  return textCell(value ?? "");
}

function missing(): never {
  throw new AppError("not_found");
}
