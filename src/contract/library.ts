import { z } from "zod";
import { TEMPLATES_PAGE } from "../domain/message-template.ts";
import { endpoint } from "./endpoint.ts";
import { AttachmentSummary } from "./files.ts";
import { IdempotencyKey, IdParams, RowId, WholeNumber } from "./ids.ts";

export const MessageTemplate = z.object({
  id: z.number().describe("The template's number"),
  name: z.string().describe("Its name; no second template of the account has the same"),
  text: z.string().describe("What it says, with variables such as {nome}; empty where a file stands alone"),
  attachment: AttachmentSummary.nullable().describe("The file it carries, read by GET /api/attachments/{id}"),
  updatedAt: z.iso.datetime().describe("Last change"),
});
export type MessageTemplate = z.infer<typeof MessageTemplate>;

const content = {
  name: z.string().max(1_000).describe("1 to 60 characters; no second template may have the same"),
  text: z
    .string()
    .max(20_000)
    .describe("1 to 4,096 characters; beside a file at most 1,024, or none; a sound takes none"),
};

export const library = {
  list: endpoint({
    method: "GET",
    path: "/api/message-templates",
    summary: "Messages kept to be used again, by name; `search` looks in names, texts and names of files",
    access: "key",
    query: z.object({
      search: z.string().max(200).optional().describe("Words; case and accents do not count"),
      skip: WholeNumber(0, 1_000_000).default(0).describe("How many were read before"),
      limit: WholeNumber(1, TEMPLATES_PAGE).default(TEMPLATES_PAGE).describe("Templates of one page"),
    }),
    answer: z.object({
      items: z.array(MessageTemplate).describe("One page of them"),
      found: z.number().describe("How many the search gives"),
    }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/message-templates",
    summary: "Keep a text, a file or both under a name",
    access: "key",
    body: z.strictObject({
      ...content,
      attachmentId: RowId.nullable().default(null).describe("A file stored by POST /api/attachments"),
      idempotencyKey: IdempotencyKey.optional().describe(
        "The same key with the same body makes one template",
      ),
    }),
    answer: MessageTemplate,
    status: 201,
  }),
  change: endpoint({
    method: "PUT",
    path: "/api/message-templates/{id}",
    summary: "Change name, text and file; campaigns and agents that took the text before keep theirs",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      ...content,
      attachmentId: RowId.nullable()
        .optional()
        .describe("A file stored by POST /api/attachments; null: none; left out: as it is"),
    }),
    answer: MessageTemplate,
  }),
  fill: endpoint({
    method: "POST",
    path: "/api/message-templates/{id}/fill",
    summary: "The text for one person: variables as a campaign writes them. Nothing is sent",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      phone: z.string().max(200).nullable().describe("Digits with the country code; null: nothing is known"),
    }),
    answer: z.object({
      text: z.string().describe("With the variables that the person has"),
      missing: z.array(z.string()).describe("Keys of those that stay in the text"),
      attachment: AttachmentSummary.nullable().describe("The file it carries"),
    }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/message-templates/{id}",
    summary: "Remove a template; what was written with it stays",
    access: "key",
    params: IdParams,
    answer: z.object({ success: z.boolean().describe("True") }),
  }),
};
