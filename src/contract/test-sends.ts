import { z } from "zod";
import { DeliveryStatus, MoreAttachmentIds } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

export const TestSendInput = z.strictObject({
  number: z.string().max(60),
  text: z.string().default(""),
  /** Replaces {nome}; empty: as for a contact without a name. */
  name: z.string().max(200).default(""),
  nameFallback: z.string().default(""),
  leaveHint: z.boolean().default(false),
  values: z.record(z.string().max(200), z.string().max(2_000)).optional().describe("Texts of fields, by key"),
  attachmentId: RowId.nullable().default(null),
  moreAttachmentIds: MoreAttachmentIds,
  connectionId: RowId.nullable().default(null),
  idempotencyKey: IdempotencyKey.optional(),
});
export type TestSendInput = z.infer<typeof TestSendInput>;

export const TestSend = z.object({
  id: z.number(),
  phone: z.string(),
  connectionId: z.number(),
  status: DeliveryStatus,
  /** Reason of a failure or doubt: code (domain/failure-reasons.ts) and text. */
  error: z.object({ code: z.string(), text: z.string() }).nullable(),
  at: z.iso.datetime(),
});
export type TestSend = z.infer<typeof TestSend>;

export const testSends = {
  send: endpoint({
    method: "POST",
    path: "/api/campaigns/test",
    summary:
      "Send a campaign's messages to one number; answers after a few seconds with what is known of the last by then",
    access: "user",
    body: TestSendInput,
    answer: TestSend,
    status: 201,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/campaigns/test/{id}",
    summary: "Where a test stands",
    access: "user",
    params: IdParams,
    answer: TestSend,
  }),
} as const;
