import { z } from "zod";
import { DeliveryStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

/**
 * The message of a campaign's form, for one number. Judged like a campaign: lengths and the text itself by the service, which answers
 * `invalid_fields`.
 */
export const TestSendInput = z.strictObject({
  /** As typed; read like a contact's phone. */
  number: z.string().max(60),
  text: z.string().default(""),
  /** What {nome} becomes; empty: what it becomes for a contact without a name. */
  name: z.string().max(200).default(""),
  nameFallback: z.string().default(""),
  imageId: RowId.nullable().default(null),
  /** null: «Conexão padrão». */
  connectionId: RowId.nullable().default(null),
  /** One per press: the same key with the same message is the same test, however often it is sent. */
  idempotencyKey: IdempotencyKey.optional(),
});
export type TestSendInput = z.infer<typeof TestSendInput>;

/** A test and where it stands. It belongs to no campaign and is counted in none. */
export const TestSend = z.object({
  id: z.number(),
  /** Digits, E.164 without plus. */
  phone: z.string(),
  connectionId: z.number(),
  status: DeliveryStatus,
  /** Why it failed or is doubtful: a code (domain/failure-reasons.ts) and the same in words. */
  error: z.object({ code: z.string(), text: z.string() }).nullable(),
  /** When it came into this state; before anything happened, when it was asked for. */
  at: z.iso.datetime(),
});
export type TestSend = z.infer<typeof TestSend>;

export const testSends = {
  send: endpoint({
    method: "POST",
    path: "/api/campaigns/test",
    summary:
      "Send a campaign's message to one number; answers after a few seconds with what is known by then",
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
