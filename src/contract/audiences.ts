import { z } from "zod";
import {
  type Audience as AudienceShape,
  SOURCES_MOST,
  TALKED_HOURS_MOST,
  UNANSWERED_MOST,
} from "../domain/audience.ts";
import { INTERVAL_MAX_S } from "../domain/campaign.ts";
import { ENDLESS_REASONS } from "../domain/number-plan.ts";
import {
  CAMPAIGN_TESTS,
  CONDITIONS_MOST,
  DAYS_MOST,
  FIELD_TESTS,
  ORIGINS,
  REPLY_TESTS,
} from "../domain/segment.ts";
import { VARIABLES_MOST } from "../domain/variables.ts";
import { endpoint } from "./endpoint.ts";
import { IdParams, RowId } from "./ids.ts";

const Days = z.number().int().min(1).max(DAYS_MOST).describe("Days, counted in the account's time zone");

export const Condition = z.discriminatedUnion("on", [
  z.strictObject({
    on: z.literal("field").describe("A value of the person"),
    key: z.string().max(100).describe("Key of a contact field, or `nome`"),
    test: z
      .enum(FIELD_TESTS)
      .describe(
        "`contains` of texts; `at_least`, `at_most` of numbers and dates; the ones in days of dates; `is_not` counts people without a value",
      ),
    value: z
      .union([z.string().max(500), z.number(), z.boolean()])
      .nullable()
      .describe("By the field's kind; a number of days for those in days; null for `filled` and `empty`"),
  }),
  z.strictObject({
    on: z.literal("list").describe("A list"),
    test: z.enum(["in", "not_in"]).describe("In it or not"),
    listId: RowId.describe("The list's number"),
  }),
  z.strictObject({
    on: z.literal("origin").describe("Where the person came from first"),
    test: z.enum(["is", "is_not"]).describe("From there or not"),
    origin: z.enum(ORIGINS).describe("As in a person's origin"),
  }),
  z.strictObject({
    on: z.literal("created").describe("Since when the person is known"),
    test: z.enum(["last_days", "older_days"]).describe("In the last days, or before them"),
    days: Days,
  }),
  z.strictObject({
    on: z.literal("reply").describe("What the person last wrote to a connection of the account"),
    test: z.enum(REPLY_TESTS).describe("In the last days, before them, at any time or never"),
    days: Days.nullable().describe("Null for `ever` and `never`"),
  }),
  z.strictObject({
    on: z.literal("campaign").describe("A campaign that reached the person"),
    test: z
      .enum(CAMPAIGN_TESTS)
      .describe(
        "`got`: sent or further; `unread`: got and not read; `not_got`: neither got nor waiting for it",
      ),
    campaignId: RowId.nullable().describe("Null: the last one to each person"),
  }),
]);
export type Condition = z.infer<typeof Condition>;

const Match = z.enum(["all", "any"]).describe("All of the items must hold, or one of them");

export const ConditionGroup = z.strictObject({
  match: Match,
  items: z.array(Condition).min(1).max(CONDITIONS_MOST).describe("Conditions"),
});
export type ConditionGroup = z.infer<typeof ConditionGroup>;

export const SegmentRule = z.strictObject({
  match: Match,
  items: z
    .array(z.union([Condition, ConditionGroup]))
    .min(1)
    .max(CONDITIONS_MOST)
    .describe("Conditions, and groups of them"),
});
export type SegmentRule = z.infer<typeof SegmentRule>;

export const Segment = z.object({
  id: z.number().describe("The segment's number"),
  name: z.string().describe("Its name"),
  rule: SegmentRule.describe("Who belongs to it, at the moment it is asked"),
  broken: z
    .boolean()
    .describe("Its rule names a field, list or campaign that is gone: it is refused until mended"),
  updatedAt: z.iso.datetime().describe("Last change"),
});
export type Segment = z.infer<typeof Segment>;

const Ids = z.array(RowId).max(SOURCES_MOST);

export const Audience = z.strictObject({
  listIds: Ids.describe("Further lists, beside `listId`"),
  segmentIds: Ids.describe("Segments whose people get it as well"),
  without: z
    .strictObject({
      listIds: Ids.describe("People of these lists"),
      campaignIds: Ids.describe("Who got one of these campaigns, or waits to get it"),
      talkedHours: z
        .number()
        .int()
        .min(1)
        .max(TALKED_HOURS_MOST)
        .nullable()
        .describe("Who wrote, or was answered by a human, in these last hours"),
      unanswered: z
        .number()
        .int()
        .min(1)
        .max(UNANSWERED_MOST)
        .nullable()
        .describe("Who got this many campaigns since they last wrote"),
      landLines: z.boolean().optional().describe("Brazilian land lines"),
    })
    .describe("Who is left out"),
}) satisfies z.ZodType<AudienceShape, unknown>;

/** What a campaign's audience is counted from. */
export const AudienceQuestion = z.strictObject({
  listId: RowId.nullable().describe("The campaign's list"),
  audience: Audience.nullable().describe("What is added to it and left out"),
  connectionId: RowId.nullable().default(null).describe("It goes through; null: the default connection"),
  variables: z
    .array(
      z.strictObject({
        key: z.string().max(200).describe("Key of a field in the text"),
        fallback: z.string().max(2_000).nullable().describe("Null leaves out people without a value"),
      }),
    )
    .max(VARIABLES_MOST)
    .default([])
    .describe("Of the text"),
});
export type AudienceQuestion = z.infer<typeof AudienceQuestion>;

/** One line of the count: `list:3`, `segment:2`; `without-list:4`, `without-campaign:9`, `talked`, …; `gets`. */
const LineKey = z.string().max(40);

export const AudienceLine = z.object({
  key: LineKey.describe("Names the line when its people are asked for"),
  name: z.string().nullable().describe("Of the list, segment or campaign; null for other lines"),
  people: z.number().describe("Each person is counted in the first line that holds"),
});
export type AudienceLine = z.infer<typeof AudienceLine>;

export const ForecastQuestion = AudienceQuestion.extend({
  intervalS: z.number().min(0).max(INTERVAL_MAX_S),
  extraS: z.number().min(0).max(INTERVAL_MAX_S),
  startsAt: z.iso.datetime().nullable(),
});
export type ForecastQuestion = z.infer<typeof ForecastQuestion>;

export const PlannedDay = z.object({
  day: z.string(),
  warm: z.number(),
  cold: z.number(),
  budget: z.number(),
});

export const PlanForecast = z.object({
  people: z.object({ warm: z.number(), cold: z.number() }),
  endsAt: z.string().nullable(),
  /** Why no end is known. */
  why: z.enum(ENDLESS_REASONS).nullable(),
  limitedBy: z.enum(["budget", "hours"]).nullable(),
  /** The first two weeks; `sendingDays` counts all that send. */
  days: z.array(PlannedDay),
  sendingDays: z.number(),
});
export type PlanForecast = z.infer<typeof PlanForecast>;

export const FIRST_PEOPLE = 50;
export const NAMES_OF_A_LINE = 100;

export const AudienceCount = z.object({
  sources: z.array(AudienceLine).describe("`list:…` and `segment:…`, each with all of its people"),
  twice: z.number().describe("Places of people who are in several of them"),
  without: z
    .array(AudienceLine)
    .describe(
      "`without-list:…`, `without-campaign:…`, `talked`, `unanswered`, `weekly`, `absent` (not on WhatsApp by a look-up of the last seven days), `land_lines`, `missing`, `opted_out`",
    ),
  gets: z.number().describe("Who gets it, as of now"),
  landLines: z.number().describe("Brazilian land lines among them"),
  missing: z.record(z.string(), z.number()).describe("People without a value, by key, of those not left out"),
  items: z
    .array(
      z.object({
        phone: z.string().describe("Digits with the country code"),
        name: z.string().describe("May be empty"),
        texts: z.record(z.string(), z.string()).describe("Values as messages say them, by key"),
      }),
    )
    .describe("The first 50 who get it"),
});
export type AudienceCount = z.infer<typeof AudienceCount>;

/** `may`: whether more may be checked; a number of less than a day asks nothing. */
export const NumberChecks = z.object({
  unchecked: z.number(),
  waiting: z.number(),
  may: z.enum(["yes", "new_number", "too_many", "no_number"]),
});
export type NumberChecks = z.infer<typeof NumberChecks>;

const segmentBody = z.strictObject({
  name: z.string().max(1_000).describe("1 to 60 characters; no second segment may have the same"),
  rule: SegmentRule.describe("Who belongs to it"),
});

export const audiences = {
  segments: endpoint({
    method: "GET",
    path: "/api/segments",
    summary: "Saved segments, by name",
    access: "key",
    answer: z.object({ items: z.array(Segment).describe("At most 100") }),
  }),
  createSegment: endpoint({
    method: "POST",
    path: "/api/segments",
    summary: "Save a segment: people who meet conditions whenever it is used",
    access: "key",
    body: segmentBody,
    answer: Segment,
    status: 201,
  }),
  changeSegment: endpoint({
    method: "PUT",
    path: "/api/segments/{id}",
    summary: "Change a segment; campaigns that have not started follow it",
    access: "key",
    params: IdParams,
    body: segmentBody,
    answer: Segment,
  }),
  removeSegment: endpoint({
    method: "DELETE",
    path: "/api/segments/{id}",
    summary:
      "Remove a segment, not its people; refused with `segment_in_use` while a campaign waits to use it",
    access: "key",
    params: IdParams,
    answer: z.object({ success: z.boolean().describe("True") }),
  }),
  countSegment: endpoint({
    method: "POST",
    path: "/api/segments/count",
    summary: "How many people meet conditions, saved or not",
    access: "key",
    body: z.strictObject({ rule: SegmentRule.describe("The conditions") }),
    answer: z.object({ people: z.number().describe("Each person once") }),
  }),
  count: endpoint({
    method: "POST",
    path: "/api/audience/count",
    summary: "Who would get a campaign and who is left out and why, in numbers, with the first 50 people",
    access: "user",
    body: AudienceQuestion,
    answer: AudienceCount,
  }),
  forecast: endpoint({
    method: "POST",
    path: "/api/audience/forecast",
    summary: "When a campaign to these people would end by its number's plan; null where the number has none",
    access: "user",
    body: ForecastQuestion,
    answer: z.object({ forecast: PlanForecast.nullable() }),
  }),
  countNumberChecks: endpoint({
    method: "POST",
    path: "/api/audience/number-checks/count",
    summary:
      "How many of these people are not known to be on WhatsApp, and how many numbers are being checked",
    access: "user",
    body: AudienceQuestion,
    answer: NumberChecks,
  }),
  askNumberChecks: endpoint({
    method: "POST",
    path: "/api/audience/number-checks",
    summary: "Let the number ask WhatsApp, slowly and in the background, which of these people it has",
    access: "user",
    body: AudienceQuestion,
    answer: NumberChecks,
  }),
  names: endpoint({
    method: "POST",
    path: "/api/audience/names",
    summary: "People of one line of that count",
    access: "user",
    body: AudienceQuestion.extend({ line: LineKey.describe("Key of the line; `gets`, `twice` as well") }),
    answer: z.object({
      people: z.number().describe("All of the line"),
      items: z
        .array(
          z.object({
            name: z.string().describe("May be empty"),
            phone: z.string().describe("Digits with the country code"),
          }),
        )
        .describe("The first 100"),
    }),
  }),
} as const;
