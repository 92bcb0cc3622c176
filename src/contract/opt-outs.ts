import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { WholeNumber } from "./ids.ts";
import { UndoInput } from "./undo.ts";

/** Somebody who wants no campaigns of this account. */
export const OptOut = z.object({
  /** Canonical digits. */
  phone: z.string(),
  /** A saved contact's name, where there is one. */
  name: z.string().nullable(),
  source: z.enum(["reply", "manual"]),
  /** What they wrote, and to which number. */
  text: z.string().nullable(),
  connectionName: z.string().nullable(),
  at: z.iso.datetime(),
});
export type OptOut = z.infer<typeof OptOut>;

export const optOuts = {
  list: endpoint({
    method: "GET",
    path: "/api/opt-outs",
    summary: "People who want no campaigns, newest first; `search` looks in numbers and names",
    access: "key",
    query: z.object({
      search: z.string().max(200).optional(),
      cursor: z
        .string()
        .regex(/^\d{1,17}-\d{1,15}$/)
        .optional(),
      // So many of the newest are left out: for who shows a part of the list. Who reads all of it goes on from `next`.
      skip: WholeNumber(0, 100_000_000).optional(),
      limit: WholeNumber(1, 200).optional(),
    }),
    answer: z.object({ optOuts: z.array(OptOut), total: z.number(), next: z.string().nullable() }),
  }),
  add: endpoint({
    method: "POST",
    path: "/api/opt-outs",
    summary: "No more campaigns to a number: also those that are sending now leave it out",
    access: "key",
    // In any writing of Brazil, with + and its country code, or the digits of somebody whom a conversation or a list names.
    body: z.strictObject({ phone: z.string().max(200) }),
    // `reversible`: they were entered by this call, and no campaign had to leave them out; to remove them again brings all of it back.
    answer: OptOut.extend({ reversible: z.boolean() }),
    status: 201,
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/opt-outs/restore",
    summary: "Take a removal back: the person is entered again as they were, with the same words and date",
    access: "key",
    body: UndoInput,
    answer: OptOut,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/opt-outs/{phone}",
    summary: "Campaigns may reach the number again; those that left it out do not take it up again",
    access: "key",
    // The `phone` of an entry, or a number in any writing. With +, nothing but the number of that country code is meant.
    params: z.object({ phone: z.string().max(60) }),
    // `at` of the entry that is meant: who has left anew since, or has said it themselves, stays, and the answer is `undo_too_late`.
    query: z.object({ at: OptOut.shape.at.optional() }),
    // `undo`: for /api/opt-outs/restore, within ten minutes.
    answer: z.object({ success: z.boolean(), undo: z.string() }),
  }),
};
