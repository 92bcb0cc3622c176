import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { WholeNumber } from "./ids.ts";
import { UndoInput } from "./undo.ts";

export const OptOut = z.object({
  phone: z.string().describe("Digits with the country code, without +"),
  name: z.string().nullable().describe("A saved contact's name, where there is one"),
  source: z
    .enum(["reply", "manual", "asked"])
    .describe(
      "`reply`: they opted out in a message; `manual`: entered by hand or by a program; `asked`: a doubtful message, not decided yet",
    ),
  text: z.string().nullable().describe("What they wrote; null where they were entered"),
  connectionName: z.string().nullable().describe("Which connection they wrote it to"),
  at: z.iso.datetime().describe("Since when: ISO 8601 in UTC"),
});
export type OptOut = z.infer<typeof OptOut>;

export const optOuts = {
  list: endpoint({
    method: "GET",
    path: "/api/opt-outs",
    summary: "Opted-out people, or undecided ones, newest first; `search` looks in numbers and names",
    access: "key",
    query: z.object({
      state: z
        .enum(["left", "undecided"])
        .optional()
        .describe(
          "`left` unless said; `undecided`: they wrote what may mean leaving, and campaigns leave them out until it is decided",
        ),
      search: z.string().max(200).optional().describe("Words of a name, or digits of a number"),
      cursor: z
        .string()
        .regex(/^\d{1,17}-\d{1,15}$/)
        .optional()
        .describe("The `next` of the page before"),
      skip: WholeNumber(0, 100_000_000)
        .optional()
        .describe(
          "So many of the newest are left out: for who shows a part of the list. Who reads all of it goes on from `next`",
        ),
      limit: WholeNumber(1, 200).optional().describe("People of one page; 100 unless said"),
    }),
    answer: z.object({
      optOuts: z.array(OptOut).describe("One page of them"),
      total: z.number().describe("How many of this state there are in all, whatever was searched for"),
      undecided: z.number().describe("How many wait for a decision, whatever was asked for"),
      next: z.string().nullable().describe("The `cursor` of the page after; null on the last"),
    }),
  }),
  add: endpoint({
    method: "POST",
    path: "/api/opt-outs",
    summary: "No more campaigns to a number: also those that are sending now leave it out",
    access: "key",
    body: z.strictObject({
      phone: z
        .string()
        .max(200)
        .describe(
          "A Brazilian number in any usual form, a number with + and country code, or the digits of a known conversation or contact",
        ),
    }),
    answer: OptOut.extend({
      reversible: z
        .boolean()
        .describe(
          "They were entered by this call, and no campaign had to leave them out: to remove them again brings all of it back",
        ),
    }),
    status: 201,
  }),
  confirm: endpoint({
    method: "POST",
    path: "/api/opt-outs/{phone}/confirm",
    summary:
      "Decide that an undecided person leaves: no campaign writes to them any more. DELETE decides that they stay",
    access: "key",
    params: z.object({ phone: z.string().max(60).describe("The `phone` of an undecided entry") }),
    body: z.strictObject({
      at: OptOut.shape.at
        .optional()
        .describe("`at` of the entry that is meant: what was written since is decided on its own"),
    }),
    answer: OptOut,
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
    summary:
      "Campaigns may reach the number again. Those that left it out do not take it up again, but for undecided people in campaigns that still run",
    access: "key",
    params: z.object({
      phone: z
        .string()
        .max(60)
        .describe(
          "The `phone` of an entry, or a number in any writing. With +, nothing but the number of that country code is meant",
        ),
    }),
    query: z.object({
      at: OptOut.shape.at
        .optional()
        .describe(
          "`at` of the entry that is meant: a newer opt-out, or one by the person, stays, and the answer is `undo_too_late`",
        ),
    }),
    answer: z.object({
      success: z.boolean().describe("True: an error is answered with its status and a code"),
      undo: z.string().describe("For /api/opt-outs/restore, within ten minutes"),
    }),
  }),
};
