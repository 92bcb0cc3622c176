import type { z } from "zod";
import type { ContactField } from "../../contract/contact-fields.ts";
import type { ImportEncoding } from "../../contract/contacts.ts";
import {
  BASIS_NOTE_MAX,
  type ColumnMapping,
  type DraftRow,
  type ImportDraft,
  type importDrafts,
} from "../../contract/import-drafts.ts";
import { cleanLine } from "../../domain/contact-name.ts";
import type { CsvForm } from "../../domain/csv-layout.ts";
import { AppError } from "../../domain/errors.ts";
import { type ImportMapping, isUsable, MappedRows, type RowOutcome } from "../../domain/table-mapping.ts";
import { type Question, type Understanding, understand } from "../../domain/table-reading.ts";
import { words } from "../base/locale.ts";
import { requireRoom } from "../db/account-limits.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { jsonTable } from "./as-table.ts";
import { refuseBrokenNames } from "./broken-names.ts";
import { WAITING_IMPORTS } from "./counts.ts";
import { type DraftRow as Draft, deleteDraft, findDraft, insertDraft } from "./drafts-repo.ts";
import { findFields } from "./fields-repo.ts";
import { addField } from "./fields-service.ts";
import { type ImportPlan, mappedForm } from "./import-plan.ts";
import { encodingOf, readBeginning } from "./import-source.ts";
import {
  asTable,
  asText,
  fileNameOf,
  type ImportIntake,
  listNameOf,
  orRemoved,
  refuseFullAccount,
} from "./imports.ts";
import { insertImport } from "./imports-repo.ts";
import { findNamesOfLists } from "./lists-repo.ts";
import { reasonCode } from "./presenter.ts";

type NewDraft = z.output<typeof importDrafts.create.query>;
type Reading = z.output<typeof importDrafts.read.body>;
type AtOnce = z.output<typeof importDrafts.importAtOnce.query>;
type Start = z.output<typeof importDrafts.start.body>;
type Decisions = Omit<Start, "idempotencyKey">;

const SHOWN_ROWS = 20;

/** Stores a file; what `use` throws removes it. Throws the file's errors. */
async function withUpload<T>(
  { spool, inTurn }: ImportIntake,
  owner: Owner,
  query: NewDraft,
  body: AsyncIterable<Uint8Array>,
  use: (draft: Draft, place: string) => Promise<T>,
): Promise<T> {
  await refuseFullAccount(owner);
  const uploaded = await spool.receive(body);
  const received = await orRemoved(spool, uploaded, () =>
    inTurn(owner, uploaded.bytes, () =>
      query.json === "true"
        ? asTable(spool, uploaded, jsonTable(spool.path(uploaded.id)))
        : asText(spool, uploaded, query),
    ),
  );
  return orRemoved(spool, received, async () => {
    const place = spool.path(received.id);
    const found = () => inTurn(owner, received.bytes, () => encodingOf(place));
    const draft = {
      id: 0,
      file_name: fileNameOf(query.fileName),
      format:
        query.json === "true" ? ("json" as const) : received.isText ? ("text" as const) : ("table" as const),
      encoding: received.isText ? (query.encoding ?? (await found())) : "utf-8",
      sha256: received.sha256,
      spool: received.id,
      spool_folder: spool.folderId,
      bytes: received.bytes,
    };
    return use(draft, place);
  });
}

/** Stores a file and answers what was understood of it. Throws the file's errors. */
export function createDraft(
  intake: ImportIntake,
  owner: Owner,
  query: NewDraft,
  body: AsyncIterable<Uint8Array>,
): Promise<ImportDraft> {
  return withUpload(intake, owner, query, body, async (draft, place) => {
    const answer = await answerOf(owner, place, draft, {});
    const { id, gone } = await insertDraft(owner, draft);
    for (const old of gone) intake.spool.remove(old);
    return { ...answer, id };
  });
}

const isOfHeader = ({ code }: { code: string }) => code === "unsure_header";

/** Answers the import's id. Throws `import_undecided` {questions, columns: their headings}. */
export function importAtOnce(
  intake: ImportIntake,
  owner: Owner,
  { decisions: asked, idempotencyKey, ...query }: AtOnce,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  return withUpload(intake, owner, query, body, async (draft, place) => {
    const { questions, columns, ...read } = await answerOf(owner, place, draft, asked);
    const { questions: proposed } = await answerOf(owner, place, draft, { ...asked, columns: undefined });
    const header = asked.headerRow === undefined ? proposed.filter(isOfHeader) : [];
    const open = [...questions.filter((each) => !isOfHeader(each)), ...header];
    if (open.length > 0)
      throw new AppError("import_undecided", {
        questions: open,
        columns: columns.map(({ header }) => header),
      });
    const decisions = {
      ...asked,
      encoding: read.encoding,
      separator: read.separator,
      headerRow: read.headerRow,
      everyCell: asked.everyCell ?? read.everyCell,
      columns: columns.map(({ mapping }) => mapping),
    };
    const ready = await prepared(intake, owner, draft, decisions);
    const same = [query, asked, draft.sha256.toString("hex")];
    const { made, again } = await once(owner, submissionOf("import", idempotencyKey, same), (inside) =>
      queued(inside, draft, ready),
    );
    if (again) intake.spool.remove(draft.spool);
    return made;
  });
}

export async function readDraft(
  { spool }: ImportIntake,
  owner: Owner,
  id: number,
  reading: Reading,
): Promise<ImportDraft> {
  const draft = (await findDraft(owner, id)) ?? missing();
  return answerOf(owner, placeOf(spool, draft), draft, reading);
}

export async function removeDraft({ spool }: ImportIntake, owner: Owner, id: number): Promise<void> {
  const { spool: file } = (await deleteDraft(owner, id)) ?? missing();
  spool.remove(file);
}

type Ready = {
  decisions: Decisions;
  listName: string | null;
  note: string | null;
  plan: Omit<ImportPlan, "above">;
};

/** Without a draft, a repeat whose file was taken. */
async function prepared(
  { spool, inTurn }: ImportIntake,
  owner: Owner,
  draft: Draft | undefined,
  decisions: Decisions,
): Promise<Ready> {
  const listName = decisions.listName?.trim() ? listNameOf(decisions.listName) : null;
  if (listName === null && decisions.listIds.length === 0) throw new AppError("list_name_required");
  const note = noteOf(decisions.basisNote);
  if (!isUsable({ ...decisions, skip: decisions.headerRow ?? 0 }))
    throw new AppError("import_no_phone_column");
  const form = draft
    ? await readBeginning(placeOf(spool, draft), encodingIn(draft, decisions), decisions.separator)
    : null;
  const plan = { ...planOf(decisions, form), ownList: listName !== null };
  if (draft && !decisions.acceptBrokenNames)
    await inTurn(owner, draft.bytes, async () => {
      const place = placeOf(spool, draft);
      const whole = { ...plan, above: 0 };
      await refuseBrokenNames(place, await mappedForm(place, encodingIn(draft, decisions), whole, []));
    });
  return { decisions, listName, note, plan };
}

async function queued(inside: Owner, it: Draft, { decisions, listName, note, plan }: Ready): Promise<number> {
  const names = await findNamesOfLists(inside, plan.listIds);
  if (names.length < new Set(plan.listIds).size) throw new AppError("import_list_gone");
  await requireRoom(inside, WAITING_IMPORTS);
  const columns = await withFields(inside, decisions.columns);
  return insertImport(inside, {
    listName: listName ?? names[0] ?? "",
    fileName: it.file_name,
    format: "csv",
    form: {
      encoding: encodingIn(it, decisions),
      separator: plan.separator,
      header: plan.headerRow !== null,
    },
    sha256: it.sha256,
    spool: it.spool,
    spoolFolder: it.spool_folder,
    bytes: it.bytes,
    plan: { ...plan, columns, above: above(it) },
    basis: { basis: decisions.basis ?? null, note },
  });
}

/** Answers the import's id. A repeat with the same key gives the first one. */
export async function startDraft(
  intake: ImportIntake,
  owner: Owner,
  id: number,
  { idempotencyKey, ...decisions }: Start,
): Promise<number> {
  const ready = await prepared(intake, owner, await findDraft(owner, id), decisions);
  const submission = submissionOf("import", idempotencyKey, [id, decisions]);
  const { made } = await once(owner, submission, async (inside) =>
    queued(inside, (await deleteDraft(inside, id)) ?? missing(), ready),
  );
  return made;
}

function planOf(decisions: Decisions, form: CsvForm | null): Omit<ImportPlan, "ownList" | "above"> {
  const { separator, headerRow, columns, everyCell, known, listIds } = decisions;
  const first = form?.records[0]?.row ?? 1;
  return {
    separator,
    quote: form?.quote ?? '"',
    skip: headerRow ?? first - 1,
    headerRow,
    columns,
    everyCell,
    known,
    listIds: [...new Set(listIds)],
  };
}

/** New fields are made; a known key must be the account's. */
async function withFields(inside: Owner, columns: readonly ColumnMapping[]): Promise<ColumnMapping[]> {
  const known = new Set((await findFields(inside)).map(({ key }) => key));
  const settled: ColumnMapping[] = [];
  for (const [at, column] of columns.entries()) {
    if (column.role === "field" && !known.has(column.field))
      throw fieldError({ [`columns.${at}`]: "unknown_field" });
    if (column.role !== "new_field") settled.push(column);
    else settled.push({ role: "field", field: (await addField(inside, column, `columns.${at}`)).key });
  }
  return settled;
}

function noteOf(typed: string | undefined): string | null {
  const read = cleanLine(typed ?? "", BASIS_NOTE_MAX);
  if ("error" in read)
    throw fieldError({
      basisNote: read.error === "bad_text" ? "invalid_text" : { code: "too_long", n: BASIS_NOTE_MAX },
    });
  return read.line === "" ? null : read.line;
}

/** The file may be another host's. */
function placeOf(spool: ImportIntake["spool"], draft: Draft): string {
  if (!spool.exists(draft.spool)) throw new AppError("import_file_gone");
  return spool.path(draft.spool);
}

/** A list's elements count from 1, below a row of their keys. */
const above = ({ format }: Pick<Draft, "format">) => (format === "json" ? 1 : 0);

const encodingIn = (
  { format, encoding }: Omit<Draft, "id">,
  asked: { encoding?: ImportEncoding | undefined },
) => (format === "text" ? asked.encoding : undefined) ?? encoding;

async function answerOf(owner: Owner, place: string, draft: Draft, reading: Reading): Promise<ImportDraft> {
  const isText = draft.format === "text";
  const encoding = encodingIn(draft, reading);
  const form = await readBeginning(place, encoding, isText ? reading.separator : ";");
  const fields = await findFields(owner);
  const understood = understand(form.records, fields, reading.headerRow);
  const mapping = chosen(understood, reading.columns);
  const { mapping: proposed, columns } = understood;
  return {
    id: draft.id,
    fileName: draft.file_name,
    bytes: draft.bytes,
    format: draft.format,
    encoding,
    separator: form.separator as ImportDraft["separator"],
    headerRow: proposed.headerRow,
    everyCell: mapping.everyCell,
    columns: columns.map((column, at) => ({
      ...column,
      samples: [...column.samples],
      mapping: mapping.columns[at] ?? column.mapping,
      sure: reading.columns !== undefined || column.sure,
    })),
    questions: questionsOf(understood, reading.columns === undefined, mapping),
    rows: rowsOf(form, mapping, fields).map((row) => ({ ...row, row: row.row - above(draft) })),
  };
}

function chosen(
  { mapping, columns }: Understanding,
  asked: readonly ColumnMapping[] | undefined,
): ImportMapping {
  if (asked === undefined) return mapping;
  const all = columns.map((_, at): ColumnMapping => asked[at] ?? { role: "ignore" });
  return { ...mapping, columns: all, everyCell: false };
}

function questionsOf(
  { questions }: Understanding,
  isOpen: boolean,
  mapping: ImportMapping,
): ImportDraft["questions"] {
  const open: readonly Question[] = isOpen
    ? questions
    : isUsable(mapping)
      ? []
      : [{ code: "import_no_phone_column", columns: [] }];
  return open.map(({ code, columns, details }) => {
    const isChoice = code === "several_names" || code === "several_phones" || code === "unsure_header";
    return { code, columns: [...columns], text: isChoice ? null : words().errorText(code, details ?? {}) };
  });
}

function rowsOf(form: CsvForm, mapping: ImportMapping, fields: readonly ContactField[]): DraftRow[] {
  const head = form.records.find(({ row }) => row === mapping.headerRow)?.cells ?? [];
  const mapped = new MappedRows(mapping, head, new Map(fields.map(({ key, kind }) => [key, kind])));
  const rows: DraftRow[] = [];
  for (const record of form.records)
    for (const outcome of mapped.read(record)) {
      rows.push(shown(outcome));
      if (rows.length === SHOWN_ROWS) return rows;
    }
  return rows;
}

function shown(row: RowOutcome): DraftRow {
  if (row.outcome !== "refused") {
    const { outcome, phone, name, fields, unread } = row;
    return { row: row.row, outcome, name, phone, fields, unread: [...unread], reason: null };
  }
  const code = reasonCode(row.reason);
  const reason = { code, text: words().fieldText(code) };
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

function missing(): never {
  throw new AppError("not_found");
}
