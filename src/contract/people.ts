import { z } from "zod";
import { SHOWN_DELIVERIES } from "../domain/campaign.ts";
import { SELECTED_MOST } from "../domain/limits.ts";
import { FieldChanges, FieldValues } from "./contact-fields.ts";
import { Contact } from "./contacts.ts";
import { endpoint } from "./endpoint.ts";
import { IdParams, RowId, WholeNumber } from "./ids.ts";
import { ImportBasis } from "./import-drafts.ts";

export const Person = Contact.extend({
  id: z.number().describe("The person's number"),
  fields: FieldValues.describe("Values by the key of their field; a field without a value is missing"),
  createdAt: z.iso.datetime().describe("Since when the person is known"),
});
export type Person = z.infer<typeof Person>;

export const PersonOrigin = z.object({
  kind: z
    .enum(["file", "hand", "chat", "api", "before"])
    .describe("`before`: known before origins were written down"),
  fileName: z.string().nullable().describe("The imported file, or null for pasted text and other origins"),
  row: z.number().nullable().describe("Line of that file, counted from 1"),
  by: z.string().nullable().describe("Name of the account's user or key; null where it is not known"),
  at: z.iso.datetime().describe("When: ISO 8601 in UTC"),
  basis: ImportBasis.nullable().describe("Why they may be written to, as the import said"),
  basisNote: z.string().nullable().describe("More about it"),
});
export type PersonOrigin = z.infer<typeof PersonOrigin>;

export const PersonDetails = Person.extend({
  updatedAt: z.iso.datetime().describe("Last change of name, phone or fields"),
  lists: z
    .array(z.object({ id: z.number().describe("The list's number"), name: z.string().describe("Its name") }))
    .describe("The lists that the person is in, newest first"),
  origin: PersonOrigin.describe("Where the person came from first"),
  optOut: z
    .object({
      source: z.enum(["reply", "manual", "asked"]).describe("As in /api/opt-outs"),
      text: z.string().nullable().describe("What they wrote"),
      at: z.iso.datetime().describe("Since when"),
    })
    .nullable()
    .describe("Null while campaigns may reach them"),
});
export type PersonDetails = z.infer<typeof PersonDetails>;

export const PersonEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("campaign"),
    at: z.iso.datetime().describe("Last change of the delivery"),
    campaignId: z.number().describe("The campaign's number"),
    campaignName: z.string().describe("The campaign's name"),
    status: z.enum(SHOWN_DELIVERIES).describe("State of the delivery"),
    reason: z.string().nullable().describe("Code of why it failed or was skipped"),
    messages: z
      .object({
        sent: z.number().describe("How many of them left"),
        all: z.number().describe("How many the campaign has"),
      })
      .nullable()
      .describe("Null of a campaign of one message"),
  }),
  z.object({
    kind: z.literal("reply"),
    at: z.iso.datetime().describe("When they wrote"),
    chatId: z.number().describe("The conversation"),
    connectionId: z.number().describe("The connection they wrote to"),
    text: z.string().nullable().describe("Null for pictures and the like without text"),
  }),
]);
export type PersonEvent = z.infer<typeof PersonEvent>;

export const Erasure = z.object({
  campaigns: z.number().describe("Campaigns that keep the place without name and number"),
  waiting: z.number().describe("Those that have not written to them yet, and will not"),
  chats: z.number().describe("Conversations that go"),
  messages: z.number().describe("Messages that go with them"),
  direct: z.number().describe("Direct messages that go"),
});
export type Erasure = z.infer<typeof Erasure>;

const Shown = {
  listId: RowId.optional().describe("Only people of this list"),
  search: z.string().max(200).optional().describe("Words of a name, or digits of a number"),
};

/** People named one by one, or all that a list and a search give. */
export const Selection = z.union([
  z.strictObject({
    ids: z.array(RowId).min(1).max(SELECTED_MOST).describe("Numbers of people; unknown ones are passed over"),
  }),
  z.strictObject({
    all: z.strictObject(Shown).describe("All that this list and this search give"),
  }),
]);
export type Selection = z.infer<typeof Selection>;

const Touched = z.object({ people: z.number().describe("How many people changed by this call") });

const InList = z.strictObject({
  selection: Selection.describe("Who is meant"),
  listId: RowId.describe("The list that changes"),
});

export const people = {
  list: endpoint({
    method: "GET",
    path: "/api/people",
    summary: "People of the account or of one list, each once, sorted by name or by when they came",
    access: "key",
    query: z.object({
      ...Shown,
      sort: z
        .enum(["name", "created"])
        .default("name")
        .describe("`created`: as they came to the account, or to the list"),
      descending: z.enum(["true", "false"]).default("false").describe("`true`: from the last one on"),
      cursor: z.string().max(2_000).optional().describe("The `next` of the page before"),
      limit: WholeNumber(1, 200).default(100).describe("People of one page; 100 unless said"),
    }),
    answer: z.object({
      items: z.array(Person).describe("One page of them"),
      total: z.number().describe("People of the account or list, whatever was searched for"),
      next: z.string().nullable().describe("The `cursor` of the page after; null on the last"),
    }),
  }),
  count: endpoint({
    method: "GET",
    path: "/api/people/count",
    summary: "How many people a list and a search give",
    access: "key",
    query: z.object(Shown),
    answer: z.object({ people: z.number().describe("Each person once") }),
  }),
  find: endpoint({
    method: "GET",
    path: "/api/people/{id}",
    summary: "One person: data, lists, origin and opt-out",
    access: "key",
    params: IdParams,
    answer: PersonDetails,
  }),
  history: endpoint({
    method: "GET",
    path: "/api/people/{id}/history",
    summary: "Campaigns that reached for a person and what they wrote, newest first",
    access: "key",
    params: IdParams,
    query: z.object({
      cursor: z.string().max(200).optional().describe("The `next` of the page before"),
      limit: WholeNumber(1, 100).default(50).describe("Events of one page; 50 unless said"),
    }),
    answer: z.object({
      items: z.array(PersonEvent).describe("One page of it"),
      campaigns: z.number().describe("How many campaigns there are in all"),
      next: z.string().nullable().describe("The `cursor` of the page after; null on the last"),
    }),
  }),
  why: endpoint({
    method: "GET",
    path: "/api/people/{id}/why",
    summary: "«Por que recebi isto?»: a text for the person, with origin, campaigns, replies and opt-out",
    access: "key",
    params: IdParams,
    answer: z.object({ text: z.string().describe("Lines in the language of the account") }),
  }),
  whyFile: endpoint({
    method: "GET",
    path: "/api/people/{id}/why.html",
    summary: "The same as an HTML file without scripts",
    access: "key",
    params: IdParams,
    answer: "stream",
    media: "text/html",
  }),
  exportOne: endpoint({
    method: "GET",
    path: "/api/people/{id}/export.json",
    summary: "Download all that the account holds about one person, for a request under LGPD, art. 18",
    access: "key",
    params: IdParams,
    answer: "stream",
    media: "application/json",
  }),
  erasure: endpoint({
    method: "GET",
    path: "/api/people/{id}/erasure",
    summary: "What erasing a person would remove and keep",
    access: "key",
    params: IdParams,
    answer: Erasure,
  }),
  erase: endpoint({
    method: "POST",
    path: "/api/people/{id}/erase",
    summary: "Erase a person for good; refused with `person_in_flight` while a message to them is on its way",
    access: "key",
    params: IdParams,
    answer: z.object({
      campaigns: z.number().describe("Campaigns whose place lost name and number"),
      chats: z.number().describe("Removed conversations"),
    }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/people",
    summary:
      "Add a person; a known phone is refused with `phone_taken`, an erased one with `person_erased` unless `takeBack`",
    access: "key",
    body: z.strictObject({
      name: z.string().max(2_000).describe("1 to 120 characters"),
      phone: z
        .string()
        .max(200)
        .describe("A Brazilian number in any usual form, or one with + and country code"),
      fields: FieldChanges.optional().describe("Values by the key of their field"),
      listIds: z.array(RowId).max(50).optional().describe("Lists to put the person into"),
      takeBack: z.boolean().optional().describe("They were erased, and asked to be stored again"),
    }),
    answer: PersonDetails,
    status: 201,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/people/{id}",
    summary: "Change name, phone or fields; a phone of another person is refused with `phone_taken`",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      name: z.string().max(2_000).optional().describe("Up to 120 characters; may be empty"),
      phone: z.string().max(200).optional().describe("As in a new person"),
      fields: FieldChanges.optional().describe("Fields that are not named stay; null removes a value"),
    }),
    answer: PersonDetails,
  }),
  merge: endpoint({
    method: "POST",
    path: "/api/people/{id}/merge",
    summary: "Make one of two people: the other one's lists are added, and it goes",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      otherId: RowId.describe("The person that goes"),
      phone: z.string().max(200).describe("Which of the two phones stays"),
      name: z.string().max(2_000).describe("The name that stays"),
      fields: FieldChanges.describe("All values that stay, by key"),
    }),
    answer: PersonDetails,
  }),
  addToList: endpoint({
    method: "POST",
    path: "/api/people/add-to-list",
    summary: "Put people into a list; those in it stay as they are",
    access: "key",
    body: InList,
    answer: Touched,
  }),
  removeFromList: endpoint({
    method: "POST",
    path: "/api/people/remove-from-list",
    summary: "Take people out of a list; they stay in the account",
    access: "key",
    body: InList,
    answer: Touched,
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/people/remove",
    summary: "Remove people from the account and all lists; chats and campaigns keep their history",
    access: "key",
    body: z.strictObject({ selection: Selection.describe("Who is removed") }),
    answer: Touched,
  }),
  export: endpoint({
    method: "GET",
    path: "/api/people/export",
    summary: "Download people with their fields as CSV that Excel opens right",
    access: "key",
    query: z.object({
      ...Shown,
      ids: z
        .string()
        .regex(/^\d{1,15}(,\d{1,15})*$/)
        .max(8_000)
        .optional()
        .describe("Only these people: their numbers with commas"),
    }),
    answer: "stream",
    media: "text/csv",
  }),
};
