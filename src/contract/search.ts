import { z } from "zod";
import { CampaignStatus } from "./campaigns.ts";
import { Contact } from "./contacts.ts";
import { endpoint } from "./endpoint.ts";

/** What is found of one word or more, at most five of each kind, newest first. */
export const Found = z.object({
  campaigns: z.array(z.object({ id: z.number(), name: z.string(), status: CampaignStatus })),
  lists: z.array(z.object({ id: z.number(), name: z.string(), count: z.number() })),
  /** Each person once, in the newest list that has them. */
  contacts: z.array(Contact.extend({ listId: z.number(), listName: z.string() })),
});
export type Found = z.infer<typeof Found>;

export const search = {
  find: endpoint({
    method: "GET",
    path: "/api/search",
    summary:
      "Find campaigns and contact lists by their name, contacts by name or number; five of each at most",
    access: "key",
    // Case and accents do not count; every other sign means itself. Nothing is found for an empty one.
    query: z.object({ q: z.string().max(200) }),
    answer: Found,
  }),
};
