import { expect } from "vitest";
import { page } from "vitest/browser";
import type { ContactField } from "../../../src/contract/contact-fields.ts";
import type { ContactImportReport } from "../../../src/contract/contacts.ts";
import type { ColumnMapping, DraftRow, ImportDraft } from "../../../src/contract/import-drafts.ts";
import { detectForm } from "../../../src/domain/csv-layout.ts";
import {
  type ImportMapping,
  isUsable,
  MappedRows,
  type RowOutcome,
} from "../../../src/domain/table-mapping.ts";
import { understand } from "../../../src/domain/table-reading.ts";
import type { Call, Handler } from "./endpoints.ts";
import { refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { button } from "./screen.ts";

const window = page.getByRole("dialog");

export async function toLists() {
  await toColumns();
  await button("Continuar", window).click();
  await expect.element(window.getByText("Para onde vão")).toBeVisible();
}

export async function toColumns() {
  await button("Continuar", window).click();
  await expect.element(window.getByRole("heading", { name: "Primeiras linhas" })).toBeVisible();
}

export async function decide(list?: string) {
  if (list !== undefined) await window.getByLabelText("Nome da lista").fill(list);
  await window.getByRole("radio", { name: /^Pediram para receber/ }).click();
}

type Start = Call<"POST /api/contact-import-drafts/{id}/start">;
type Read = Partial<Pick<ImportDraft, "separator" | "headerRow">> & { columns?: ColumnMapping[] };

export function importDrafts(server: FakeServer, fields: readonly ContactField[] = []) {
  const texts = new Map<number, { text: string; fileName: string | null }>();
  let last = 40;
  server.on("POST /api/contact-import-drafts", async ({ query, body }) => {
    const text = query.json === "true" ? asTable(await body.text()) : await body.text();
    texts.set(++last, { text, fileName: query.fileName ?? null });
    return draftOf(last, texts.get(last) ?? missing(), fields, {});
  });
  server.on("POST /api/contact-import-drafts/{id}/read", ({ params, body }) =>
    draftOf(params.id, texts.get(params.id) ?? missing(), fields, body),
  );
  return { textOf: (id: number) => texts.get(id)?.text ?? "" };
}

export function startedBy(
  server: FakeServer,
  begin: (call: Start) => ContactImportReport,
): Handler<"POST /api/contact-import-drafts/{id}/start"> {
  const reports = new Map<string, ContactImportReport>();
  server.on("GET /api/contact-imports/{id}", ({ params }) => {
    return [...reports.values()].find(({ id }) => id === params.id) ?? missing();
  });
  return (call) => {
    const key = call.body.idempotencyKey ?? "";
    const report = reports.get(key) ?? begin(call);
    reports.set(key, report);
    const { refusedRows: _, ninthAddedRows: __, ...begun } = report;
    return { ...begun, state: "waiting", fault: null };
  };
}

function missing(): never {
  throw refuse("not_found");
}

function asTable(json: string): string {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw refuse("json_not_a_list");
  const keys = Object.keys(list[0] ?? {});
  return [keys, ...list.map((each) => keys.map((key) => each[key]))].map((row) => row.join(";")).join("\n");
}

type Uploaded = { text: string; fileName: string | null };

function draftOf(
  id: number,
  { text, fileName }: Uploaded,
  fields: readonly ContactField[],
  read: Read,
): ImportDraft {
  const form = detectForm(`${text}\n`, true, read.separator);
  const understood = understand(form.records, fields, read.headerRow);
  const mapping = mappingOf(understood.mapping, read.columns);
  const none = { code: "import_no_phone_column" as const, columns: [] };
  const questions = read.columns ? (isUsable(mapping) ? [] : [none]) : understood.questions;
  const head = form.records.find(({ row }) => row === mapping.headerRow)?.cells ?? [];
  const mapped = new MappedRows(mapping, head, new Map(fields.map(({ key, kind }) => [key, kind])));
  return {
    id,
    fileName,
    bytes: text.length,
    format: "text",
    encoding: "utf-8",
    separator: form.separator as ImportDraft["separator"],
    headerRow: mapping.headerRow,
    everyCell: mapping.everyCell,
    columns: understood.columns.map((column, at) => ({
      ...column,
      samples: [...column.samples],
      mapping: mapping.columns[at] ?? column.mapping,
    })),
    questions: questions.map(({ code, columns }) => ({
      code,
      columns: [...columns],
      text: /^several|^unsure/.test(code) ? null : "Coluna de telefone não encontrada.",
    })),
    rows: form.records
      .flatMap((record) => [...mapped.read(record)])
      .map(shown)
      .slice(0, 20),
  };
}

const mappingOf = (proposed: ImportMapping, columns: ColumnMapping[] | undefined): ImportMapping =>
  columns ? { ...proposed, columns, everyCell: false } : proposed;

function shown(row: RowOutcome): DraftRow {
  if (row.outcome !== "refused") {
    const { outcome, phone, name, fields, unread } = row;
    return { row: row.row, outcome, name, phone, fields, unread: [...unread], reason: null };
  }
  const reason = { code: row.reason, text: "Faltam dígitos." };
  return {
    row: row.row,
    outcome: "refused",
    name: row.name,
    phone: row.value,
    fields: {},
    unread: [],
    reason,
  };
}
