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
  id: z.number().describe("The list's number"),
  name: z.string().describe("Its name"),
  count: z.number().describe("People in it"),
  createdAt: z.iso.datetime().describe("When it was made: ISO 8601 in UTC"),
  first: z.array(Contact).describe("Its first three people, or those that a search found"),
  matches: z.number().nullable().describe("People that a search found in it; null without a search"),
});
export type ContactListCard = z.infer<typeof ContactListCard>;

/** `seq` is the position in the list and the paging key. */
export const ListedContact = Contact.extend({ seq: z.number().describe("Place in the list, from 0") });
export type ListedContact = z.infer<typeof ListedContact>;

export const RowReason = z.object({
  code: z.string().describe("Code of the reason"),
  text: z.string().describe("The same in words"),
});

/** `row` counts lines from 1 including the header, as a spreadsheet does. */
export const RefusedRow = z.object({
  row: z.number().describe("Line of the file, counted from 1"),
  name: z.string().describe("The name as it stands in the file"),
  value: z.string().describe("The phone, or the row, as it stands in the file"),
  reason: RowReason.describe("Why it was refused"),
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

const UnreadCells = z.object({
  column: z.string().describe("Heading of the column"),
  count: z.number().describe("Cells that are not what its field holds"),
  row: z.number().describe("Line of the first of them"),
  text: z.string().describe("The first of them, as it stands in the file"),
});

const LeftOut = z.object({
  columns: z.array(z.string()).describe("Columns that were not used, as the header calls them"),
  blankRows: z.number().describe("Lines without content"),
  furtherPhones: z.number().describe("Phones beside the one that was taken of a contact"),
  unread: z.array(UnreadCells).describe("Cells that were left out, by column"),
});

/** One import per account at a time. Progress: `bytesRead` of `bytesTotal`. */
export const ContactImport = z.object({
  id: z.number().describe("The import's number"),
  listId: z
    .number()
    .nullable()
    .describe("The list that it filled; null until then, or where nothing came in"),
  listName: z.string().describe("Name of that list"),
  fileName: z.string().nullable().describe("Null for pasted text"),
  state: ImportState.describe("`done` and `failed` stay"),
  fault: z
    .object({
      code: z.string().describe("Code of the error"),
      error: z.string().describe("The same in words"),
      details: z.record(z.string(), z.unknown()).describe("Its figures and names"),
    })
    .nullable()
    .describe("Why it failed"),
  bytesTotal: z.number().nullable().describe("Size of the file"),
  bytesRead: z.number().describe("Bytes read so far"),
  rowsRead: z.number().describe("Rows with content read so far"),
  imported: z.number().describe("People that came in, each once"),
  repeated: z.number().describe("Rows whose phone stood in an earlier one"),
  refused: z.number().describe("Rows that were refused"),
  ninthAdded: z.number().describe("Old mobile numbers that got their ninth digit"),
  erased: z.number().describe("People who were erased on request and stay out"),
  leftOut: LeftOut.nullable().describe("Skipped without a refused row; null until done"),
  layout: z
    .object({
      encoding: ImportEncoding.describe("Encoding of the text"),
      separator: z.string().describe("What parts its columns"),
      header: z.boolean().describe("Whether a row names the columns"),
    })
    .nullable()
    .describe("How the file was read"),
  warnings: z
    .array(
      z.object({
        code: z.enum(["same_file", "same_name"]).describe("The same file, or a list of this name, was there"),
        text: z.string().describe("The same in words"),
      }),
    )
    .describe("What stopped nothing"),
  createdAt: z.iso.datetime().describe("When the file had arrived: ISO 8601 in UTC"),
  finishedAt: z.iso.datetime().nullable().describe("When it ended"),
});
export type ContactImport = z.infer<typeof ContactImport>;

export const ContactImportReport = ContactImport.extend({
  refusedRows: z.array(RefusedRow).describe("The first hundred; the rest is in `refused.csv`"),
  ninthAddedRows: z
    .array(
      z.object({
        row: z.number().describe("Line of the file, counted from 1"),
        name: z.string().describe("The name in it"),
        value: z.string().describe("The phone as it stands in the file"),
      }),
    )
    .describe("The first hundred rows whose phone got its ninth digit"),
});
export type ContactImportReport = z.infer<typeof ContactImportReport>;

const Search = z.string().max(200).optional().describe("Words of a name, or digits of a number");
const Limit = (most: number, usual: number) =>
  WholeNumber(1, most).default(usual).describe(`Rows of one page; ${usual} unless said`);
const ListName = z.string().max(2_000).describe("At most 120 characters");
const Key = IdempotencyKey.optional().describe("The same key with the same content is executed once");

export const contacts = {
  lists: endpoint({
    method: "GET",
    path: "/api/contact-lists",
    summary: "List the contact lists, newest first; with a search, those whose name or contacts match",
    access: "key",
    query: z.object({
      search: Search,
      after: RowId.optional().describe("The `next` of the page before"),
      id: RowId.optional().describe("Only this list"),
      limit: Limit(100, 24),
    }),
    answer: z.object({
      items: z.array(ContactListCard).describe("One page of lists"),
      next: z.number().nullable().describe("`after` of the next page; null on the last"),
      total: z
        .object({
          lists: z.number().describe("All lists of the account"),
          contacts: z.number().describe("Places in all lists"),
        })
        .describe("Regardless of the search"),
    }),
  }),
  list: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}",
    summary: "One contact list; `count` is what deleting it would lose",
    access: "key",
    params: IdParams,
    answer: ContactListCard.extend({ optedOut: z.number().describe("People in it who left") }),
  }),
  listContacts: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}/contacts",
    summary: "Contacts of a list in the file's order, paged by key",
    access: "key",
    params: IdParams,
    query: z.object({
      search: Search,
      after: WholeNumber(-1, 2_147_483_647).default(-1).describe("The `next` of the page before"),
      limit: Limit(500, 100),
    }),
    answer: z.object({
      items: z.array(ListedContact).describe("One page of people"),
      next: z.number().nullable().describe("`after` of the next page; null on the last"),
    }),
  }),
  createList: endpoint({
    method: "POST",
    path: "/api/contact-lists",
    summary: "Make an empty list",
    access: "key",
    body: z.strictObject({ name: ListName, idempotencyKey: Key }),
    answer: ContactListCard,
    status: 201,
  }),
  renameList: endpoint({
    method: "PATCH",
    path: "/api/contact-lists/{id}",
    summary: "Rename a list",
    access: "key",
    params: IdParams,
    body: z.strictObject({ name: ListName }),
    answer: ContactListCard,
  }),
  duplicateList: endpoint({
    method: "POST",
    path: "/api/contact-lists/{id}/duplicate",
    summary: "Make a second list with the same people, under a name of its own",
    access: "key",
    params: IdParams,
    body: z.strictObject({ name: ListName, idempotencyKey: Key }),
    answer: ContactListCard,
    status: 201,
  }),
  deleteList: endpoint({
    method: "DELETE",
    path: "/api/contact-lists/{id}",
    summary: "Delete a list; its people stay in the account, and campaigns keep their history",
    access: "key",
    params: IdParams,
    answer: z.object({ contacts: z.number().describe("Places that went with it") }),
  }),
  exportList: endpoint({
    method: "GET",
    path: "/api/contact-lists/{id}/export",
    summary: "Download a list as CSV (Nome;Telefone) that Excel opens right",
    access: "key",
    params: IdParams,
    answer: "stream",
    media: "text/csv",
  }),
  create: endpoint({
    method: "POST",
    path: "/api/contacts",
    summary: "Add one contact: to a list, or as its own list «Contato manual - {name}»",
    access: "key",
    body: z.strictObject({
      name: z.string().describe("At most 120 characters"),
      phone: z.string().describe("With area code; of another country with + and its code"),
      listId: RowId.optional().describe("Without it the contact gets a list of its own"),
      idempotencyKey: Key,
    }),
    answer: z.object({
      listId: z.number().describe("The list that the contact is in"),
      listName: z.string().describe("Its name"),
      contact: Contact.describe("As it was saved"),
      ninthAdded: z.boolean().describe("The number got its ninth digit"),
    }),
    status: 201,
  }),
  importFile: endpoint({
    method: "POST",
    path: "/api/contact-imports",
    summary:
      "Import a list from a CSV, text, .xlsx or .vcf file sent as the raw body (its own type or octet-stream)",
    access: "key",
    query: z.object({
      name: z.string().default("").describe("Name of the new list"),
      fileName: z.string().max(1000).optional().describe("Only shown"),
      encoding: ImportEncoding.optional().describe("Instead of the detected one"),
      sheet: z.string().max(100).optional().describe("Of an .xlsx file, after `import_several_sheets`"),
      acceptBrokenNames: z
        .enum(["true", "false"])
        .optional()
        .describe("`true`: imports names with unreadable characters too, after `import_broken_names`"),
      idempotencyKey: Key,
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
    access: "key",
    body: z.strictObject({
      name: z.string().default("").describe("Name of the new list"),
      contacts: z.unknown().optional().describe("A list of objects with name and phone, or its text"),
      acceptBrokenNames: z.boolean().optional().describe("As in the import of a file"),
      idempotencyKey: Key,
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
    access: "key",
    answer: z.object({ items: z.array(ContactImport).describe("The newest first") }),
  }),
  importReport: endpoint({
    method: "GET",
    path: "/api/contact-imports/{id}",
    summary: "Progress of an import, and its report once it is done",
    access: "key",
    params: IdParams,
    answer: ContactImportReport,
  }),
  refusedRows: endpoint({
    method: "GET",
    path: "/api/contact-imports/{id}/refused.csv",
    summary: "The refused rows as a CSV to correct and import again (Nome;Telefone;Motivo)",
    access: "key",
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
