import { z } from "zod";
import { BREAKER_FAILURES, REASON_MAX } from "../domain/breaker.ts";
import { CAMPAIGN_ACTIONS, DISPLAY_STATUSES, MAX_PARTS, SHOWN_DELIVERIES } from "../domain/campaign.ts";
import { ENDLESS_REASONS } from "../domain/number-plan.ts";
import { VARIABLES_MOST } from "../domain/variables.ts";
import { Audience, PlannedDay } from "./audiences.ts";
import { endpoint } from "./endpoint.ts";
import type { FieldCode } from "./error-messages.ts";
import { AttachmentSummary } from "./files.ts";
import { IdempotencyKey, IdParams, RowId, WholeNumber } from "./ids.ts";
import { PlanState } from "./number-plans.ts";

const Params = IdParams;
const DeliveryParams = z.object({ id: RowId, seq: WholeNumber(0, 16_777_215) });

export const DisplayStatus = z.enum(DISPLAY_STATUSES);
export const CampaignAction = z.enum(CAMPAIGN_ACTIONS);
/** State as shown on the screen; waiting for a retry counts as `pending`. */
export const DeliveryStatus = z.enum(SHOWN_DELIVERIES);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** `wall`: local time as entered, `2026-11-27T08:00`; `zone`: its IANA zone. */
export const Schedule = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("now") }),
  z.strictObject({ kind: z.literal("at"), wall: z.string().max(40), zone: z.string().max(80) }),
]);
export type Schedule = z.infer<typeof Schedule>;

const Day = z.iso.date().refine((day) => day >= "2000-01-01");

/** Text such as `1,5` is accepted, to get a helpful error. */
const Seconds = z.union([z.number(), z.string().max(40)], {
  error: "seconds_not_integer" satisfies FieldCode,
});

const Variable = z.strictObject({
  key: z
    .string()
    .max(200)
    .describe("Key that the text uses: of a contact field, such as `data` for `{data}`, or `sobrenome`"),
  fallback: z.string().max(2_000).nullable().describe("Said without a value; null leaves the person out"),
});

/** Files that follow as messages of their own, in this order. */
export const MoreAttachmentIds = z
  .array(RowId)
  .max(MAX_PARTS - 1)
  .default([]);

/** `draft` needs only a name. The service answers `invalid_fields` with a code per field. */
export const CampaignInput = z.strictObject({
  name: z.string(),
  text: z.string().default(""),
  nameFallback: z.string().default(""),
  /** «Responda SAIR para não receber mais» below the text, and part of its length. */
  leaveHint: z.boolean().default(false),
  variables: z.array(Variable).max(VARIABLES_MOST).optional(),
  attachmentId: RowId.nullable().default(null),
  moreAttachmentIds: MoreAttachmentIds,
  connectionId: RowId.nullable().default(null),
  listId: RowId.nullable().default(null),
  audience: Audience.nullable().optional(),
  schedule: Schedule.default({ kind: "now" }),
  intervalS: Seconds.default(60),
  extraS: Seconds.default(0),
  intent: z.enum(["draft", "create"]),
  /**
   * Foreign placeholders (`{{name}}`, `[Nome]`, `{Oi|Olá}`) go out literally; otherwise `create` answers 422
   * `campaign_placeholders`, listed in `details.placeholders`.
   */
  keepPlaceholders: z.boolean().optional(),
  /** For 24 hours the same key and body return the same campaign. */
  idempotencyKey: IdempotencyKey.optional(),
});
export type CampaignInput = z.infer<typeof CampaignInput>;

export const CampaignChange = CampaignInput.extend({
  /**
   * `updatedAt` as read before; a change since answers 409 `campaign_changed`. Without it the last write
   * wins.
   */
  basedOn: z.iso.datetime().optional(),
});
export type CampaignChange = z.infer<typeof CampaignChange>;

export const CampaignCounts = z.object({
  total: z.number(),
  sent: z.number(),
  confirmed: z.number(),
  read: z.number(),
  errors: z.number(),
  /** «A verificar». */
  uncertain: z.number(),
  /** «Aceito pelo servidor»: taken by a gateway, unconfirmed by WhatsApp; not in `sent`. */
  accepted: z.number(),
  skipped: z.number(),
  remaining: z.number(),
  states: z.object({
    pending: z.number(),
    sending: z.number(),
    waiting: z.number(),
    skipped: z.number(),
    uncertain: z.number(),
    error: z.number(),
    accepted: z.number(),
    sent: z.number(),
    delivered: z.number(),
    read: z.number(),
  }),
});

/** Times are ISO 8601 in UTC. */
export const Campaign = z.object({
  id: z.number(),
  name: z.string(),
  text: z.string(),
  nameFallback: z.string(),
  leaveHint: z.boolean(),
  variables: z.array(Variable),
  status: DisplayStatus,
  actions: z.array(CampaignAction),
  /**
   * Pause reason: user, connection (down; resumes by itself), no_default_connection, missed, suspended,
   * unconfirmed (by WhatsApp), breaker_refused, number_banned, restored…
   */
  cause: z.string().nullable(),
  /** Deliveries of the first people are awaited. */
  canary: z.object({ people: z.number(), until: z.string().nullable() }).nullable(),
  /** Of `judged` people `count`, more than `limit` percent. */
  breaker: z
    .object({
      failure: z.enum(BREAKER_FAILURES),
      judged: z.number(),
      count: z.number(),
      limit: z.number(),
    })
    .nullable(),
  connectionCause: z.string().nullable(),
  causeSince: z.string().nullable(),
  causeUntil: z.string().nullable(),
  attachment: AttachmentSummary.nullable(),
  /** Each a message of its own after the first. */
  moreAttachments: z.array(AttachmentSummary),
  /** null: «Conexão padrão», until it starts. */
  connectionId: z.number().nullable(),
  connectionName: z.string().nullable(),
  listId: z.number().nullable(),
  /** With further lists and segments: all names, with « + ». */
  listName: z.string().nullable(),
  audience: Audience.nullable(),
  /**
   * Frozen at the start, before that the list's count; null without a list, and before the start of a resend
   * or an `audience`.
   */
  people: z.number().nullable(),
  schedule: Schedule,
  intervalS: z.number(),
  extraS: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
  scheduledAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  archivedAt: z.string().nullable(),
  /** Date shown: started, else scheduled, else last saved. */
  date: z.string(),
  /** Started after its scheduled time because the server was off. */
  late: z.boolean(),
  started: z.boolean(),
  counts: CampaignCounts,
  /** sent ÷ (sent + errors + uncertain), 0–1; null before the first outcome. */
  rate: z.number().nullable(),
  confirmedRate: z.number().nullable(),
  /** While sending or paused. `endsAt` is null while stopped or at an unknown pace. */
  progress: z
    .object({
      done: z.number(),
      perMinute: z.number().nullable(),
      endsAt: z.string().nullable(),
      /** All sent; `people` await confirmation until this time at the latest (null: unknown). */
      awaits: z.object({ people: z.number(), until: z.string().nullable() }).nullable(),
      /** What the number's plan does now; null without one. `why`: no end is known. */
      plan: z
        .object({
          state: PlanState,
          until: z.string().nullable(),
          cold: z.number(),
          why: z.enum(ENDLESS_REASONS).nullable(),
          /** The first two weeks. */
          days: z.array(PlannedDay),
        })
        .nullable(),
    })
    .nullable(),
  /**
   * After the end: the first 20 of `failureTotal` 'Falha ao enviar mensagem para {phone}: {reason}' lines.
   */
  failureLines: z.array(z.string()),
  failureTotal: z.number(),
  /**
   * People «Reenviar falhas» would reach: failed, not reached by another resend, not opted out. 0 before the
   * end and during a resend.
   */
  resendable: z.number(),
  /** Failed people who got some of several messages: a resend leaves them out, «Enviar o que falta» is theirs. */
  unfinished: z.number(),
  resendsId: z.number().nullable(),
});
export type Campaign = z.infer<typeof Campaign>;

export const CampaignSummary = z.object({
  total: z.number(),
  archived: z.number(),
  /** The dashboard still counts their messages. */
  deleted: z.number(),
  byStatus: z.record(DisplayStatus, z.number()),
  endsAt: z.string().nullable(),
});
export type CampaignSummary = z.infer<typeof CampaignSummary>;

/**
 * attempts = accepted + errors + uncertain. `confirmed`: accepted ones with a receipt; `read`: read ones
 * among them.
 */
export const OutcomeSums = z.object({
  attempts: z.number(),
  accepted: z.number(),
  confirmed: z.number(),
  read: z.number(),
  errors: z.number(),
  uncertain: z.number(),
});
export type OutcomeSums = z.infer<typeof OutcomeSums>;

export const Outcome = OutcomeSums.keyof();
export type Outcome = z.infer<typeof Outcome>;

export const ListedCampaign = Campaign.extend({ inPeriod: OutcomeSums.nullable() });
export type ListedCampaign = z.infer<typeof ListedCampaign>;

export const CampaignPage = z.object({
  items: z.array(ListedCampaign),
  /** Totals over all pages; with days, on those days only. `rate`: accepted ÷ attempts, 0–1. */
  found: OutcomeSums.extend({ campaigns: z.number(), rate: z.number().nullable() }),
  next: z.number().nullable(),
  summary: CampaignSummary,
});
export type CampaignPage = z.infer<typeof CampaignPage>;

export const Delivery = z.object({
  seq: z.number(),
  name: z.string(),
  phone: z.string(),
  status: DeliveryStatus,
  /** Sent time, or the time of the outcome if unsent; null while pending. */
  at: z.string().nullable(),
  tries: z.number(),
  resolvable: z.boolean(),
  /** Of a campaign of several messages: how many of them left. */
  messages: z.object({ sent: z.number(), all: z.number() }).nullable(),
  /** Failed after some of them: `resend` sends the rest. */
  unfinished: z.boolean(),
  /** Code (domain/failure-reasons.ts) and text; for errors the whole 'Falha ao enviar…' line. */
  reason: z.string().nullable(),
  error: z.string().nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryPage = z.object({
  items: z.array(Delivery),
  next: z.number().nullable(),
});
export type DeliveryPage = z.infer<typeof DeliveryPage>;

/** Without filter and search seq has no gaps, so `after` may be any number. */
const DeliveryQuery = z.object({
  status: DeliveryStatus.optional(),
  failure: z.enum(BREAKER_FAILURES).optional(),
  search: z.string().max(200).optional(),
  after: WholeNumber(-1, 16_777_215).default(-1),
  limit: WholeNumber(1, 500).default(100),
});

const post = <const Path extends `/${string}`>(path: Path, summary: string) =>
  endpoint({ method: "POST", path, summary, access: "user", params: Params, answer: Campaign });

const act = <const Path extends `/${string}`>(path: Path, summary: string) =>
  endpoint({
    method: "POST",
    path,
    summary,
    access: "user",
    params: DeliveryParams,
    // `at` of the doubt that is meant; a later doubt answers `delivery_already_resolved`.
    query: z.object({ at: z.iso.datetime().optional() }),
    answer: Delivery,
  });

export const campaigns = {
  list: endpoint({
    method: "GET",
    path: "/api/campaigns",
    summary:
      "Campaigns, newest first, by words in name or text, by status, by days of sending, by outcome and by contact list",
    access: "user",
    query: z.object({
      search: z.string().max(200).optional(),
      status: DisplayStatus.optional(),
      campaign: RowId.optional(),
      archived: z.enum(["true", "false"]).optional(),
      from: Day.optional(),
      to: Day.optional(),
      outcome: Outcome.optional(),
      list: RowId.optional(),
      after: RowId.optional(),
      limit: WholeNumber(1, 100).default(24),
    }),
    answer: CampaignPage,
  }),
  summary: endpoint({
    method: "GET",
    path: "/api/campaign-summary",
    summary: "How many campaigns there are by status, and when the running ones end",
    access: "user",
    answer: CampaignSummary,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/campaigns/{id}",
    summary: "One campaign",
    access: "user",
    params: Params,
    answer: Campaign,
  }),
  create: endpoint({
    method: "POST",
    path: "/api/campaigns",
    summary: "Save a draft, or create a campaign and send or schedule it",
    access: "user",
    body: CampaignInput,
    answer: Campaign,
    status: 201,
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/campaigns/{id}",
    summary:
      "Change a draft or a scheduled campaign; `create` starts or schedules it, `draft` keeps or makes it a draft",
    access: "user",
    params: Params,
    body: CampaignChange,
    answer: Campaign,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/campaigns/{id}",
    summary:
      "Delete a draft, or a campaign that is over with the states of its people; what it sent still counts in the month",
    access: "user",
    params: Params,
    answer: z.object({ success: z.boolean() }),
  }),
  archive: post(
    "/api/campaigns/{id}/archive",
    "Take a campaign that is over out of the list and its figures",
  ),
  unarchive: post("/api/campaigns/{id}/unarchive", "Bring an archived campaign back into the list"),
  undoStart: post(
    "/api/campaigns/{id}/undo-start",
    "Take back a campaign in the seconds before it starts: it is a draft again",
  ),
  pause: post("/api/campaigns/{id}/pause", "Stop handing out messages; those on the wire finish"),
  resume: post("/api/campaigns/{id}/resume", "Go on with a paused campaign"),
  resumeDespite: endpoint({
    method: "POST",
    path: "/api/campaigns/{id}/resume-despite",
    summary: "Go on with a campaign that stopped to protect its number; the reason is kept in the activity",
    access: "user",
    params: Params,
    body: z.strictObject({ reason: z.string().trim().min(1).max(REASON_MAX) }),
    answer: Campaign,
  }),
  cancel: post("/api/campaigns/{id}/cancel", "End a campaign; people not reached are skipped"),
  confirm: post(
    "/api/campaigns/{id}/confirm",
    "Send now a campaign whose time passed while the server was off",
  ),
  finish: post(
    "/api/campaigns/{id}/finish",
    "Close a campaign of which only WhatsApp's word on messages that its gateway took is awaited",
  ),
  resendFailures: endpoint({
    method: "POST",
    path: "/api/campaigns/{id}/resend-failures",
    summary: "Send to the failed people again, as a new campaign linked to this one; answers the new one",
    access: "user",
    params: Params,
    // Expected connection; if another would be used, the answer is `campaign_changed`.
    query: z.object({ through: RowId.optional() }),
    answer: Campaign,
    status: 201,
  }),
  deliveries: endpoint({
    method: "GET",
    path: "/api/campaigns/{id}/deliveries",
    summary: "People of a campaign in the order of its list, by status, by name or phone",
    access: "user",
    params: Params,
    query: DeliveryQuery,
    answer: DeliveryPage,
  }),
  resendDelivery: act(
    "/api/campaigns/{id}/deliveries/{seq}/resend",
    "Send a doubtful message again, at the risk of a second one, or the rest of several of which some left",
  ),
  markSent: act("/api/campaigns/{id}/deliveries/{seq}/mark-sent", "Settle a doubtful message as sent"),
  ignoreDelivery: act("/api/campaigns/{id}/deliveries/{seq}/ignore", "Settle a doubtful message as skipped"),
  exportDeliveries: endpoint({
    method: "GET",
    path: "/api/campaigns/{id}/deliveries.csv",
    summary: "All people of a campaign with their states and the values of its variables, as CSV",
    access: "user",
    params: Params,
    answer: "stream",
    media: "text/csv",
  }),
  failures: endpoint({
    method: "GET",
    path: "/api/campaigns/{id}/failures",
    summary: "All lines 'Falha ao enviar mensagem para {phone}: {reason}', as plain text",
    access: "user",
    params: Params,
    answer: "stream",
    media: "text/plain",
  }),
} as const;
