import { z } from "zod";
import { DisplayStatus } from "./campaigns.ts";
import { Contact } from "./contacts.ts";
import { endpoint } from "./endpoint.ts";

export const Found = z.object({
  campaigns: z
    .array(
      z.object({
        id: z.number().describe("The campaign's number"),
        name: z.string().describe("The campaign's name"),
        status: DisplayStatus.describe("How it stands now"),
      }),
    )
    .describe("Campaigns whose name holds the words"),
  lists: z
    .array(
      z.object({
        id: z.number().describe("The list's number"),
        name: z.string().describe("The list's name"),
        count: z.number().describe("How many contacts it has"),
      }),
    )
    .describe("Contact lists whose name holds the words"),
  contacts: z
    .array(
      Contact.extend({
        id: z.number().describe("The person's number"),
        listId: z.number().nullable().describe("The number of the newest list that has them; null: none"),
        listName: z.string().nullable().describe("The name of that list"),
      }),
    )
    .describe("People whose name or number holds the words"),
  templates: z
    .array(
      z.object({
        id: z.number().describe("The template's number"),
        name: z.string().describe("The template's name"),
      }),
    )
    .describe("Message templates whose name or text holds the words"),
});
export type Found = z.infer<typeof Found>;

export const search = {
  find: endpoint({
    method: "GET",
    path: "/api/search",
    summary:
      "Find campaigns and contact lists by their name, contacts by name or number, message templates by name or text; five of each at most",
    access: "key",
    query: z.object({
      q: z
        .string()
        .max(200)
        .describe(
          "Words, or digits of a number. Case and accents do not count, every other sign means itself; nothing is found for an empty one",
        ),
    }),
    answer: Found,
  }),
};
