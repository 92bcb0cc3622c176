import { z } from "zod";
import { MOST_COLUMNS } from "../domain/table-mapping.ts";
import { FieldKind, FieldValues } from "./contact-fields.ts";
import { ContactImport, IMPORT_MAX_BYTES, ImportEncoding, RowReason } from "./contacts.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

export const IMPORT_LISTS_MOST = 20;
export const BASIS_NOTE_MAX = 200;

export const ColumnMapping = z.discriminatedUnion("role", [
  z.strictObject({
    role: z
      .enum(["name", "surname", "ddi", "ddd", "phone_kind", "ignore"])
      .describe("What the column becomes"),
  }),
  z.strictObject({
    role: z.literal("phone").describe("What the column becomes"),
    rank: z
      .number()
      .int()
      .min(0)
      .max(MOST_COLUMNS)
      .describe("Order in which several are tried; 0 is WhatsApp's"),
  }),
  z.strictObject({
    role: z.literal("field").describe("What the column becomes"),
    field: z.string().max(100).describe("The field's key"),
  }),
  z.strictObject({
    role: z.literal("new_field").describe("What the column becomes"),
    label: z.string().max(1_000).describe("As of a field; made when the import begins"),
    kind: FieldKind.describe("What its values are"),
  }),
]);
export type ColumnMapping = z.infer<typeof ColumnMapping>;

const Separator = z.enum([";", ",", "\t", "|"]);

/** How the file is read; what is missing is found out. */
const Reading = {
  encoding: ImportEncoding.optional().describe("Of a text file"),
  separator: Separator.optional().describe("What parts the columns of a text file"),
  headerRow: z.number().int().min(1).max(10_000).nullable().optional().describe("Null: there is none"),
};

const DraftColumn = z.object({
  header: z.string().describe("Its heading; may be empty"),
  samples: z.array(z.string()).describe("At most three cells"),
  mapping: ColumnMapping.describe("What it becomes"),
  sure: z.boolean().describe("False: a person has to choose"),
  reason: z
    .enum(["header", "content", "known_field", "unused", "several_names", "several_phones"])
    .describe("Why it becomes that; `content`: its cells look so"),
  suggestion: z
    .object({ label: z.string().describe("Its label"), kind: FieldKind.describe("What its values are") })
    .nullable()
    .describe("The field that an unused column could become"),
});
export type DraftColumn = z.infer<typeof DraftColumn>;

const DraftRow = z.object({
  row: z.number().describe("Line of the file, counted from 1"),
  outcome: z.enum(["imported", "repeated", "refused"]).describe("What the import would make of it"),
  name: z.string().describe("Empty where the row names no person"),
  phone: z.string().describe("Canonical digits; as written where it is refused"),
  fields: FieldValues.describe("By the field's key, or a new one's label"),
  unread: z.array(z.number()).describe("Columns whose cell is not what their field holds"),
  reason: RowReason.nullable().describe("Why it is refused"),
});
export type DraftRow = z.infer<typeof DraftRow>;

export const ImportDraft = z.object({
  id: z.number().describe("The upload's number"),
  fileName: z.string().nullable().describe("Null for pasted text"),
  bytes: z.number().describe("Size of the text that is read"),
  format: z
    .enum(["text", "table", "json"])
    .describe("Only of `text` encoding and separator may be chosen; `table`: a workbook or vCards"),
  encoding: ImportEncoding.describe("As it is read"),
  separator: Separator.describe("As it is read"),
  headerRow: z.number().nullable().describe("Line of the header; null: there is none"),
  everyCell: z.boolean().describe("Each cell is the phone of another person"),
  columns: z.array(DraftColumn).describe("From the first on, at most 500"),
  questions: z
    .array(
      z.object({
        code: z
          .string()
          .describe("What is open: `several_names`, `several_phones`, `unsure_header`, or an error"),
        text: z.string().nullable().describe("In words, where the file itself has to be mended"),
        columns: z.array(z.number()).describe("Counted from 0"),
      }),
    )
    .describe("To be settled before the import; none when columns were given"),
  rows: z.array(DraftRow).describe("The first twenty"),
});
export type ImportDraft = z.infer<typeof ImportDraft>;

export const KnownPeople = z.enum(["update", "fill", "leave"]);
export type KnownPeople = z.infer<typeof KnownPeople>;
export const ImportBasis = z.enum(["asked", "customer", "other"]);
export type ImportBasis = z.infer<typeof ImportBasis>;

const Columns = z.array(ColumnMapping).max(MOST_COLUMNS);

const Choices = {
  listName: z.string().max(2_000).optional().describe("Of a new list"),
  listIds: z.array(RowId).max(IMPORT_LISTS_MOST).default([]).describe("Lists that the people join too"),
  known: KnownPeople.default("update").describe("`fill`: only what is empty of people already known"),
  basis: ImportBasis.optional().describe("Why they may be written to"),
  basisNote: z.string().max(BASIS_NOTE_MAX).optional().describe("More about the basis"),
  acceptBrokenNames: z.boolean().optional().describe("After `import_broken_names`"),
};

const Upload = {
  fileName: z.string().max(1000).optional().describe("Only shown"),
  encoding: ImportEncoding.optional().describe("Instead of the detected one"),
  sheet: z.string().max(100).optional().describe("Of an .xlsx file, after `import_several_sheets`"),
  json: z.enum(["true", "false"]).default("false").describe("`true`: the body is a JSON list"),
};

/** Longer addresses are refused by proxies. */
const DECISIONS_MAX = 6_000;

const Decisions = z.strictObject({
  separator: Reading.separator,
  headerRow: Reading.headerRow,
  columns: Columns.optional(),
  everyCell: z.boolean().optional(),
  ...Choices,
});

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "invalid" });
    return z.NEVER;
  }
}

export const importDrafts = {
  importAtOnce: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts/start",
    summary:
      "Upload a file and import it in one call; an open question of its reading answers 422 `import_undecided` with `details.questions` and `details.columns`, and nothing is kept",
    access: "key",
    query: z.object({
      ...Upload,
      decisions: z
        .string()
        .max(DECISIONS_MAX)
        .transform(parsed)
        .pipe(Decisions)
        .describe(
          "JSON of an object with the fields of the start of an uploaded file, without `encoding` and `idempotencyKey`; `separator`, `headerRow`, `columns` and `everyCell` may be missing where nothing is in doubt",
        ),
      idempotencyKey: IdempotencyKey.optional().describe("The same key is executed once"),
    }),
    body: "raw",
    answer: ContactImport,
    status: 202,
    maxBody: IMPORT_MAX_BYTES,
  }),
  create: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts",
    summary: "Upload a file, and see what was understood of it; nothing is imported before its start",
    access: "key",
    query: z.object(Upload),
    body: "raw",
    answer: ImportDraft,
    status: 201,
    maxBody: IMPORT_MAX_BYTES,
  }),
  read: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts/{id}/read",
    summary: "Read the uploaded file again by other choices",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      ...Reading,
      columns: Columns.optional().describe("What each becomes, instead of the proposal"),
    }),
    answer: ImportDraft,
  }),
  start: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts/{id}/start",
    summary: "Import the uploaded file as its columns say",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      encoding: ImportEncoding.describe("As it was read"),
      separator: Separator.describe("As it was read"),
      headerRow: z.number().int().min(1).max(10_000).nullable().describe("Null: there is none"),
      columns: Columns.describe("What each becomes"),
      everyCell: z.boolean().default(false).describe("Each cell is the phone of another person"),
      ...Choices,
      idempotencyKey: IdempotencyKey.optional().describe("The same key is executed once"),
    }),
    answer: ContactImport,
    status: 202,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/contact-import-drafts/{id}",
    summary: "Throw an uploaded file away",
    access: "key",
    params: IdParams,
    answer: z.object({}),
  }),
};
