import { z } from "zod";
import { FieldKind, FieldValues } from "./contact-fields.ts";
import { ContactImport, IMPORT_MAX_BYTES, ImportEncoding, RowReason } from "./contacts.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

/** Columns that are shown and may be assigned. */
export const COLUMNS_MOST = 2_000;
export const IMPORT_LISTS_MOST = 20;
export const BASIS_NOTE_MAX = 200;

export const ColumnMapping = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["name", "surname", "ddi", "ddd", "phone_kind", "ignore"]) }),
  z.strictObject({
    role: z.literal("phone"),
    rank: z
      .number()
      .int()
      .min(0)
      .max(COLUMNS_MOST)
      .describe("Order in which several are tried; 0 is WhatsApp's"),
  }),
  z.strictObject({ role: z.literal("field"), field: z.string().max(100).describe("The field's key") }),
  z.strictObject({
    role: z.literal("new_field"),
    label: z.string().max(1_000).describe("As of a field; made when the import begins"),
    kind: FieldKind,
  }),
]);
export type ColumnMapping = z.infer<typeof ColumnMapping>;

const Separator = z.enum([";", ",", "\t", "|"]);

/** How the file is read; what is missing is found out. */
const Reading = {
  encoding: ImportEncoding.optional(),
  separator: Separator.optional(),
  headerRow: z.number().int().min(1).max(10_000).nullable().optional().describe("Null: there is none"),
};

const DraftColumn = z.object({
  header: z.string(),
  samples: z.array(z.string()).describe("At most three cells"),
  mapping: ColumnMapping,
  sure: z.boolean().describe("False: a person has to choose"),
  reason: z.enum(["header", "content", "known_field", "unused", "several_names", "several_phones"]),
  suggestion: z
    .object({ label: z.string(), kind: FieldKind })
    .nullable()
    .describe("The field that an unused column could become"),
});
export type DraftColumn = z.infer<typeof DraftColumn>;

const DraftRow = z.object({
  row: z.number().describe("Line of the file, counted from 1"),
  outcome: z.enum(["imported", "repeated", "refused"]),
  name: z.string(),
  phone: z.string().describe("Canonical digits; as written where it is refused"),
  fields: FieldValues.describe("By the field's key, or a new one's label"),
  unread: z.array(z.number()).describe("Columns whose cell is not what their field holds"),
  reason: RowReason.nullable(),
});
export type DraftRow = z.infer<typeof DraftRow>;

export const ImportDraft = z.object({
  id: z.number(),
  fileName: z.string().nullable(),
  bytes: z.number(),
  format: z
    .enum(["text", "table", "json"])
    .describe("Only of `text` encoding and separator may be chosen; `table`: a workbook or vCards"),
  encoding: ImportEncoding,
  separator: Separator,
  headerRow: z.number().nullable(),
  everyCell: z.boolean().describe("Each cell is the phone of another person"),
  columns: z.array(DraftColumn),
  questions: z
    .array(
      z.object({
        code: z.string(),
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

const Columns = z.array(ColumnMapping).max(COLUMNS_MOST);

export const importDrafts = {
  create: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts",
    summary: "Upload a file, and see what was understood of it; nothing is imported before its start",
    access: "user",
    query: z.object({
      fileName: z.string().max(1000).optional(),
      encoding: ImportEncoding.optional(),
      sheet: z.string().max(100).optional().describe("Of an .xlsx file, after `import_several_sheets`"),
      json: z.enum(["true", "false"]).default("false").describe("`true`: the body is a JSON list"),
    }),
    body: "raw",
    answer: ImportDraft,
    status: 201,
    maxBody: IMPORT_MAX_BYTES,
  }),
  read: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts/{id}/read",
    summary: "Read the uploaded file again by other choices",
    access: "user",
    params: IdParams,
    body: z.strictObject({ ...Reading, columns: Columns.optional() }),
    answer: ImportDraft,
  }),
  start: endpoint({
    method: "POST",
    path: "/api/contact-import-drafts/{id}/start",
    summary: "Import the uploaded file as its columns say",
    access: "user",
    params: IdParams,
    body: z.strictObject({
      encoding: ImportEncoding,
      separator: Separator,
      headerRow: z.number().int().min(1).max(10_000).nullable(),
      columns: Columns,
      everyCell: z.boolean().default(false),
      listName: z.string().max(2_000).optional().describe("Of a new list"),
      listIds: z.array(RowId).max(IMPORT_LISTS_MOST).default([]).describe("Lists that the people join too"),
      known: KnownPeople.default("update").describe("`fill`: only what is empty of people already known"),
      basis: ImportBasis.optional().describe("Why they may be written to"),
      basisNote: z.string().max(BASIS_NOTE_MAX).optional(),
      acceptBrokenNames: z.boolean().optional(),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    answer: ContactImport,
    status: 202,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/contact-import-drafts/{id}",
    summary: "Throw an uploaded file away",
    access: "user",
    params: IdParams,
    answer: z.object({}),
  }),
};
