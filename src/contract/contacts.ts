import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId, WholeNumber } from "./ids.ts";

export const IMPORT_MAX_BYTES = 100 * 1024 * 1024;
export const IMPORT_MAX_ROWS = 1_000_000;
export const IMPORT_JSON_MAX_BYTES = 10 * 1024 * 1024;
/** In code points. */
export const CONTACT_NAME_MAX = 120;

/** `phone`: canonical E.164 digits without plus; shown with `formatPhone`. */
export const Contact = z.object({
  name: z.string().describe("As it was saved; may be empty"),
  phone: z.string().describe("Digits with the country code, without +"),
  optedOut: z.literal(true).optional().describe("There when campaigns leave the person out"),
  asksToLeave: z
    .literal(true)
    .optional()
    .describe("Present beside `optedOut` until a person decides about a doubtful opt-out"),
});
export type Contact = z.infer<typeof Contact>;

export const ContactListCard = z.object({
  id: z.number(),
  name: z.string(),
  count: z.number(),
  createdAt: z.iso.datetime(),
  first: z.array(Contact),
  matches: z.number().nullable(),
});
export type ContactListCard = z.infer<typeof ContactListCard>;

/** `seq` is the position in the list and the paging key. */
export const ListedContact = Contact.extend({ seq: z.number() });
export type ListedContact = z.infer<typeof ListedContact>;

export const RowReason = z.object({ code: z.string(), text: z.string() });

/** `row` counts lines from 1 including the header, as a spreadsheet does. */
export const RefusedRow = z.object({
  row: z.number(),
  name: z.string(),
  value: z.string(),
  reason: RowReason,
});
export type RefusedRow = z.infer<typeof RefusedRow>;

/** An import exists only after its file has arrived. */
export const ImportState = z.enum(["waiting", "running", "done", "failed"]);
export type ImportState = z.infer<typeof ImportState>;

export const ImportEncoding = z.enum([
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "iso-8859-15",
  "macintosh",
  "cp850",
]);
export type ImportEncoding = z.infer<typeof ImportEncoding>;

/** One import per account at a time. Progress: `bytesRead` of `bytesTotal`. */
export const ContactImport = z.object({
  id: z.number(),
  listId: z.number().nullable(),
  listName: z.string(),
  fileName: z.string().nullable(),
  state: ImportState,
  fault: z
    .object({ code: z.string(), error: z.string(), details: z.record(z.string(), z.unknown()) })
    .nullable(),
  bytesTotal: z.number().nullable(),
  bytesRead: z.number(),
  rowsRead: z.number(),
  imported: z.number(),
  repeated: z.number(),
  refused: z.number(),
  ninthAdded: z.number(),
  erased: z.number().describe("People who were erased on request and stay out"),
  /** Skipped without a refused row; null until done and for old imports. */
  leftOut: z
    .object({
      columns: z.array(z.string()).describe("Columns that were not used, as the header calls them"),
      blankRows: z.number(),
      furtherPhones: z.number().describe("Phones beside the one that was taken of a contact"),
      unread: z
        .array(z.object({ column: z.string(), count: z.number(), row: z.number(), text: z.string() }))
        .describe("Columns with cells that are not what their field holds: how many, and the first"),
    })
    .nullable(),
  layout: z.object({ encoding: ImportEncoding, separator: z.string(), header: z.boolean() }).nullable(),
  warnings: z.array(z.object({ code: z.enum(["same_file", "same_name"]), text: z.string() })),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type ContactImport = z.infer<typeof ContactImport>;

export const ContactImportReport = ContactImport.extend({
  refusedRows: z.array(RefusedRow),
  ninthAddedRows: z.array(z.object({ row: z.number(), name: z.string(), value: z.string() })),
});
export type ContactImportReport = z.infer<typeof ContactImportReport>;

const Search = z.string().max(200).optional();
const Limit = (most: number, usual: number) => WholeNumber(1, most).default(usual);

export const contacts = {
  lists: endpoint({
    method: "GET",
    path: "/api/contact-lists",
    summary: "List the contact lists, newest first; with a search, those whose name or contacts match",
    access: "user",
    query: z.object({ search: Search, after: RowId.optional(), id: RowId.optional(), limit: Limit(100, 24) }),
    // `next`: `after` of the next page. `total`: all lists, regardless of the search.
    answer: z.object({
      items: z.array(ContactListCard),
      next: z.number().nullable(),
      total: z.object({ lists: z.number(), contacts: z.number() }),
    }),
  }),
  list: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}",
    summary: "One contact list; `count` is what deleting it would lose",
    access: "user",
    params: IdParams,
    answer: ContactListCard.extend({ optedOut: z.number() }),
  }),
  listContacts: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}/contacts",
    summary: "Contacts of a list in the file's order, paged by key",
    access: "user",
    params: IdParams,
    query: z.object({
      search: Search,
      after: WholeNumber(-1, 2_147_483_647).default(-1),
      limit: Limit(500, 100),
    }),
    answer: z.object({ items: z.array(ListedContact), next: z.number().nullable() }),
  }),
  createList: endpoint({
    method: "POST",
    path: "/api/contact-lists",
    summary: "Make an empty list",
    access: "user",
    body: z.strictObject({ name: z.string().max(2_000), idempotencyKey: IdempotencyKey.optional() }),
    answer: ContactListCard,
    status: 201,
  }),
  renameList: endpoint({
    method: "PATCH",
    path: "/api/contact-lists/{id}",
    summary: "Rename a list",
    access: "user",
    params: IdParams,
    body: z.strictObject({ name: z.string().max(2_000) }),
    answer: ContactListCard,
  }),
  duplicateList: endpoint({
    method: "POST",
    path: "/api/contact-lists/{id}/duplicate",
    summary: "Make a second list with the same people, under a name of its own",
    access: "user",
    params: IdParams,
    body: z.strictObject({ name: z.string().max(2_000), idempotencyKey: IdempotencyKey.optional() }),
    answer: ContactListCard,
    status: 201,
  }),
  deleteList: endpoint({
    method: "DELETE",
    path: "/api/contact-lists/{id}",
    summary: "Delete a list; its people stay in the account, and campaigns keep their history",
    access: "user",
    params: IdParams,
    answer: z.object({ contacts: z.number() }),
  }),
  exportList: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}/export",
    summary: "Download a list as CSV (Nome;Telefone) that Excel opens right",
    access: "user",
    params: IdParams,
    answer: "stream",
    media: "text/csv",
  }),
  create: endpoint({
    method: "POST",
    path: "/api/contacts",
    summary: "Add one contact: to a list, or as its own list «Contato manual - {name}»",
    access: "user",
    body: z.strictObject({
      name: z.string(),
      phone: z.string(),
      listId: RowId.optional(),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    answer: z.object({
      listId: z.number(),
      listName: z.string(),
      contact: Contact,
      ninthAdded: z.boolean(),
    }),
    status: 201,
  }),
  importFile: endpoint({
    method: "POST",
    path: "/api/contact-imports",
    summary:
      "Import a list from a CSV, text, .xlsx or .vcf file sent as the raw body (its own type or octet-stream)",
    access: "user",
    // `encoding` overrides the detection, after `import_unreadable_encoding`.
    query: z.object({
      name: z.string().default(""),
      fileName: z.string().max(1000).optional(),
      encoding: ImportEncoding.optional(),
      sheet: z.string().max(100).optional().describe("Of an .xlsx file, after `import_several_sheets`"),
      acceptBrokenNames: z
        .enum(["true", "false"])
        .optional()
        .describe("`true`: imports names with unreadable characters too, after `import_broken_names`"),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    body: "raw",
    answer: ContactImport,
    status: 202,
    maxBody: IMPORT_MAX_BYTES,
  }),
  importJson: endpoint({
    method: "POST",
    path: "/api/contact-imports/json",
    summary: "Import a list from JSON: an array of { name, phone }, as such or as the pasted text",
    access: "user",
    body: z.strictObject({
      name: z.string().default(""),
      contacts: z.unknown().optional(),
      acceptBrokenNames: z.boolean().optional().describe("As in the import of a file"),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    streamed: "contacts",
    answer: ContactImport,
    status: 202,
    maxBody: IMPORT_JSON_MAX_BYTES,
  }),
  imports: endpoint({
    method: "GET",
    path: "/api/contact-imports",
    summary: "The ten newest imports, so that a page that is opened again finds the running one",
    access: "user",
    answer: z.object({ items: z.array(ContactImport) }),
  }),
  importReport: endpoint({
    method: "GET",
    path: "/api/contact-imports/{id}",
    summary: "Progress of an import, and its report once it is done",
    access: "user",
    params: IdParams,
    answer: ContactImportReport,
  }),
  refusedRows: endpoint({
    method: "GET",
    path: "/api/contact-imports/{id}/refused.csv",
    summary: "The refused rows as a CSV to correct and import again (Nome;Telefone;Motivo)",
    access: "user",
    params: IdParams,
    answer: "stream",
    media: "text/csv",
  }),
  template: endpoint({
    method: "GET",
    path: "/Modelo.csv",
    summary: "An example of the file that the import expects",
    access: "public",
    answer: "stream",
    media: "text/csv",
  }),
};
