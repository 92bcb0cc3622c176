import { z } from "zod";
import { CAMPAIGN_ACTIONS, DISPLAY_STATUSES, SHOWN_DELIVERIES } from "../domain/campaign.ts";
import { endpoint } from "./endpoint.ts";
import type { FieldCode } from "./error-messages.ts";
import { IdempotencyKey, IdParams, RowId, WholeNumber } from "./ids.ts";

const Params = IdParams;
const DeliveryParams = z.object({ id: RowId, seq: WholeNumber(0, 16_777_215) });

export const DisplayStatus = z.enum(DISPLAY_STATUSES);
export const CampaignAction = z.enum(CAMPAIGN_ACTIONS);
/** A person's state as the screen names it; waiting for another attempt counts as `pending`. */
export const DeliveryStatus = z.enum(SHOWN_DELIVERIES);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** `wall`: local date and time as typed, `2026-11-27T08:00`; `zone`: the IANA name of the zone it is meant in. */
export const Schedule = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("now") }),
  z.strictObject({ kind: z.literal("at"), wall: z.string().max(40), zone: z.string().max(80) }),
]);
export type Schedule = z.infer<typeof Schedule>;

/** A calendar day, `2026-11-19`; what no message was ever sent on is refused like what is no day. */
const Day = z.iso.date().refine((day) => day >= "2000-01-01");

/** Seconds, 0–86400; text as typed is taken too, so that `1,5` gets a hint instead of a shrug. */
const Seconds = z.union([z.number(), z.string().max(40)], {
  error: "seconds_not_integer" satisfies FieldCode,
});

/**
 * What the form sends. `draft` needs a name alone; `create` starts it or schedules it. Lengths and required fields are judged by the
 * service, which answers `invalid_fields` with a code for each faulty field.
 */
export const CampaignInput = z.strictObject({
  name: z.string(),
  text: z.string().default(""),
  /** What {nome} and {primeiro_nome} become for a contact without a name. */
  nameFallback: z.string().default(""),
  /** A picture stored by POST /api/images. */
  imageId: RowId.nullable().default(null),
  /** null: «Conexão padrão», resolved when the campaign starts. */
  connectionId: RowId.nullable().default(null),
  listId: RowId.nullable().default(null),
  schedule: Schedule.default({ kind: "now" }),
  intervalS: Seconds.default(60),
  /** A random 0–N seconds are added to each interval. */
  extraS: Seconds.default(0),
  intent: z.enum(["draft", "create"]),
  /**
   * Confirms that what looks like a placeholder of another sender (`{{name}}`, `[Nome]`, `{Oi|Olá}`) goes out as it is written. Without it
   * `create` answers 422 `campaign_placeholders` with the list in `details.placeholders`.
   */
  keepPlaceholders: z.boolean().optional(),
  /** One per form: for 24 hours the same key with the same body is the same campaign, however often it is sent. */
  idempotencyKey: IdempotencyKey.optional(),
});
export type CampaignInput = z.infer<typeof CampaignInput>;

export const CampaignChange = CampaignInput.extend({
  /** `updatedAt` of the campaign that was read before: has it been changed since, this answers 409 `campaign_changed`. Without it, the last one wins. */
  basedOn: z.iso.datetime().optional(),
});
export type CampaignChange = z.infer<typeof CampaignChange>;

/** People by where they stand. */
export const CampaignCounts = z.object({
  total: z.number(),
  /** «Enviados»: sent + delivered + read. */
  sent: z.number(),
  /** Of those, what receipts confirm: delivered + read. */
  confirmed: z.number(),
  read: z.number(),
  errors: z.number(),
  /** «A verificar». */
  uncertain: z.number(),
  /** «Aceito pelo servidor»: a gateway took their message and WhatsApp has not confirmed it. Not among `sent`. */
  accepted: z.number(),
  skipped: z.number(),
  /** Still to go: pending + sending + waiting. */
  remaining: z.number(),
  /** The ten stored states; their sum is the total. */
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

/** A campaign as card, details and form need it. Times are ISO 8601 in UTC. */
export const Campaign = z.object({
  id: z.number(),
  name: z.string(),
  text: z.string(),
  nameFallback: z.string(),
  status: DisplayStatus,
  /** What may be done with it now. */
  actions: z.array(CampaignAction),
  /** Why it is paused: user, connection (down; goes on by itself), no_default_connection, missed, suspended (by the operator, with its account), unconfirmed (its gateway takes messages that WhatsApp does not confirm), banned, timelocked, restored… */
  cause: z.string().nullable(),
  /** With cause `connection`: why that connection is down (see Connection.cause), since when, and until when if that is known. */
  connectionCause: z.string().nullable(),
  causeSince: z.string().nullable(),
  causeUntil: z.string().nullable(),
  hasImage: z.boolean(),
  imageId: z.number().nullable(),
  /** null: «Conexão padrão», until it starts. */
  connectionId: z.number().nullable(),
  connectionName: z.string().nullable(),
  listId: z.number().nullable(),
  listName: z.string().nullable(),
  /** People it goes to: frozen once started, the list's present count before; null without a list, and of a resend before its start. */
  people: z.number().nullable(),
  schedule: Schedule,
  intervalS: z.number(),
  extraS: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
  scheduledAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Since when it is out of the list and its figures; null while it is not archived. */
  archivedAt: z.string().nullable(),
  /** The date of card and table: started, else scheduled, else last saved. */
  date: z.string(),
  /** Started later than scheduled because the server was off. */
  late: z.boolean(),
  /** Whether sending has begun: counts and details are shown from then on. */
  started: z.boolean(),
  counts: CampaignCounts,
  /** sent ÷ (sent + errors + uncertain), 0–1; null before the first outcome. */
  rate: z.number().nullable(),
  /** Of the same people, what receipts confirm, 0–1. */
  confirmedRate: z.number().nullable(),
  /** While sending or paused. `endsAt` is null while it stands still or its pace is not known. */
  progress: z
    .object({
      done: z.number(),
      perMinute: z.number().nullable(),
      endsAt: z.string().nullable(),
      /** Everybody was sent to and answers about `people` are awaited: until when at the latest, null where that is not known. */
      awaits: z.object({ people: z.number(), until: z.string().nullable() }).nullable(),
    })
    .nullable(),
  /** Of an ended campaign with errors: the first 20 'Falha ao enviar mensagem para {phone}: {reason}' lines of `failureTotal`. */
  failureLines: z.array(z.string()),
  failureTotal: z.number(),
  /**
   * Whom «Reenviar falhas» would reach now: people whose message failed, who got it by no other resend and who want campaigns. 0 before the
   * campaign is over, and while a resend of it is under way.
   */
  resendable: z.number(),
  /** The campaign whose failures this one sends again. */
  resendsId: z.number().nullable(),
});
export type Campaign = z.infer<typeof Campaign>;

/** For sidebar, header and filter: all campaigns of the account by status, and when the last running one ends. */
export const CampaignSummary = z.object({
  /** Without those that are archived. */
  total: z.number(),
  archived: z.number(),
  /** The dashboard counts their messages still. */
  deleted: z.number(),
  byStatus: z.record(DisplayStatus, z.number()),
  /** Latest estimated end of those in progress; null when none is, or one of them cannot say. */
  endsAt: z.string().nullable(),
});
export type CampaignSummary = z.infer<typeof CampaignSummary>;

/** What became of messages. attempts = accepted + errors + uncertain; `confirmed` are those accepted that a receipt confirms, `read` those of them that were read. */
export const OutcomeSums = z.object({
  attempts: z.number(),
  accepted: z.number(),
  confirmed: z.number(),
  read: z.number(),
  errors: z.number(),
  uncertain: z.number(),
});
export type OutcomeSums = z.infer<typeof OutcomeSums>;

/** Of which outcome a listed campaign has at least one. */
export const Outcome = OutcomeSums.keyof();
export type Outcome = z.infer<typeof Outcome>;

/** A campaign in a list; `inPeriod`: what became of its messages on the days that were asked for, null without such days. */
export const ListedCampaign = Campaign.extend({ inPeriod: OutcomeSums.nullable() });
export type ListedCampaign = z.infer<typeof ListedCampaign>;

export const CampaignPage = z.object({
  items: z.array(ListedCampaign),
  /**
   * All that the filter finds, whatever page this is: how many campaigns, and the sums of their outcomes (with days asked for: on those
   * days alone). `rate`: accepted ÷ attempts, 0–1, null without attempts.
   */
  found: OutcomeSums.extend({ campaigns: z.number(), rate: z.number().nullable() }),
  /** What to hand over as `after` for the next page; null at the end. */
  next: z.number().nullable(),
  summary: CampaignSummary,
});
export type CampaignPage = z.infer<typeof CampaignPage>;

/** One person's place in a campaign. */
export const Delivery = z.object({
  seq: z.number(),
  name: z.string(),
  /** Digits, E.164 without plus. */
  phone: z.string(),
  status: DeliveryStatus,
  /** When it was sent, whatever receipts have told since; of who got nothing, when that was known; null while they are still to be sent to. */
  at: z.string().nullable(),
  tries: z.number(),
  /** Whether a person may settle it: it is in doubt, or was accepted a while ago and is still not confirmed. */
  resolvable: z.boolean(),
  /** Why: a code (domain/failure-reasons.ts), and the same in Portuguese; for errors the whole 'Falha ao enviar…' line. */
  reason: z.string().nullable(),
  error: z.string().nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryPage = z.object({
  items: z.array(Delivery),
  /** What to hand over as `after` for the next page; null at the end. */
  next: z.number().nullable(),
});
export type DeliveryPage = z.infer<typeof DeliveryPage>;

/** Without filter and search, `after` may be any number: seq runs from 0 to total − 1 without gaps, so a page can start anywhere. */
const DeliveryQuery = z.object({
  status: DeliveryStatus.optional(),
  search: z.string().max(200).optional(),
  after: WholeNumber(-1, 16_777_215).default(-1),
  limit: WholeNumber(1, 500).default(100),
});

const post = (path: `/${string}`, summary: string) =>
  endpoint({ method: "POST", path, summary, access: "user", params: Params, answer: Campaign });

/** What settles a doubt. */
const act = (path: `/${string}`, summary: string) =>
  endpoint({
    method: "POST",
    path,
    summary,
    access: "user",
    params: DeliveryParams,
    // `at` of the doubt that is meant: one about a later attempt stays, and the answer is `delivery_already_resolved`.
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
      /** This one alone. */
      campaign: RowId.optional(),
      /** `true`: those that are archived alone. Otherwise they are left out, but where one campaign is asked for. */
      archived: z.enum(["true", "false"]).optional(),
      /** First and last day (`2026-11-19`) on which messages left or were confirmed; either end may be open. */
      from: Day.optional(),
      to: Day.optional(),
      outcome: Outcome.optional(),
      /** Those that go to this contact list. */
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
  pause: post("/api/campaigns/{id}/pause", "Stop handing out messages; those on the wire finish"),
  resume: post("/api/campaigns/{id}/resume", "Go on with a paused campaign"),
  cancel: post("/api/campaigns/{id}/cancel", "End a campaign; whoever was not reached is skipped"),
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
    // The connection through which it is to go: once that is removed it would be another one, and the answer is `campaign_changed`.
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
    "Send a doubtful message again, at the risk of a second one",
  ),
  markSent: act("/api/campaigns/{id}/deliveries/{seq}/mark-sent", "Settle a doubtful message as sent"),
  ignoreDelivery: act("/api/campaigns/{id}/deliveries/{seq}/ignore", "Settle a doubtful message as skipped"),
  exportDeliveries: endpoint({
    method: "GET",
    path: "/api/campaigns/{id}/deliveries.csv",
    summary: "All people of a campaign with their states, as CSV",
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
