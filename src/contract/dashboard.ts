import { z } from "zod";
import { DisplayStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { RowId } from "./ids.ts";

/** A figure and how the last 30 days compare with the 30 before: 0.124 is +12.4 %. null: no data to say it from, shown «—». */
const Figure = z.object({ value: z.number().nullable(), change: z.number().nullable() });

const CampaignOption = z.object({ id: z.number(), name: z.string() });

/** How many days the chart may cover; the product's own are seven. */
export const CHART_DAYS = ["7", "30", "90"] as const;

export const Dashboard = z.object({
  cards: z.object({
    /** What WhatsApp accepted, as «Enviados» of a campaign counts: failures are not among it. */
    sent: Figure,
    /**
     * Contacts in all lists; change: what the lists made in the last 30 days have added to the older ones, all as they are today, since when
     * somebody joined or left a list is stored nowhere. With a campaign chosen, its people (without change).
     */
    contacts: Figure,
    /** value and `confirmed` are shares 0–1 of the attempts; change is the difference of two shares (0.004 is 0.4 p.p.). */
    rate: Figure.extend({ confirmed: z.number().nullable() }),
    /** Mean time between two messages of a campaign on one day, in minutes; less is faster, neither is better. */
    interval: Figure,
  }),
  /** The days asked for (seven unless told), of the account's zone, oldest first, the last is today; days without messages stand at 0. */
  days: z.array(
    z.object({
      /** `2026-11-19` */
      day: z.string(),
      /** Attempts with an outcome, as the spec counts sent messages: accepted, failed or to verify. */
      sent: z.number(),
      /** As the spec counts: whatever WhatsApp accepted. */
      delivered: z.number(),
      /** What receipts confirmed on that day. */
      confirmed: z.number(),
    }),
  ),
  statuses: z.object({ total: z.number(), byStatus: z.record(DisplayStatus, z.number()) }),
  /** attempts = delivered + errors + uncertain; rate, confirmedRate and readRate are shares of it, null without attempts. */
  gauge: z.object({
    rate: z.number().nullable(),
    confirmedRate: z.number().nullable(),
    readRate: z.number().nullable(),
    attempts: z.number(),
    delivered: z.number(),
    confirmed: z.number(),
    /** Of those confirmed, what was read. */
    read: z.number(),
    errors: z.number(),
    uncertain: z.number(),
  }),
  /** The six newest, or the chosen one. */
  recent: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: DisplayStatus,
      /** People it goes to; null for a draft without a list, and for what was cancelled before it began. */
      messages: z.number().nullable(),
      /** Whether sending has begun: from then on its people can be looked at one by one. */
      started: z.boolean(),
      /** null, shown as a dash, for drafts, scheduled ones and before the first outcome. */
      rate: z.number().nullable(),
      date: z.string(),
    }),
  ),
  /** For the filter: the newest 200 campaigns, newest first, and the chosen one after them where it is older. */
  options: z.array(CampaignOption),
  /** Where there are older ones: those before this id, told when asked for, since these figures are asked for every second at times. */
  moreBefore: z.number().nullable(),
  /** The account's IANA zone, in which the days are meant. */
  zone: z.string(),
});
export type Dashboard = z.infer<typeof Dashboard>;

/** What a new account does first, each true once the database says so. */
export const FirstSteps = z.object({
  /** A number is linked, or one has sent the test. */
  connect: z.boolean(),
  /** A list has somebody in it, or a campaign was made for one. */
  contacts: z.boolean(),
  /** WhatsApp took a test. */
  test: z.boolean(),
  /** There is a campaign that is more than a draft. */
  campaign: z.boolean(),
});
export type FirstSteps = z.infer<typeof FirstSteps>;

export const dashboard = {
  get: endpoint({
    method: "GET",
    path: "/api/dashboard",
    summary: "Figures of all campaigns, or of the one asked for",
    access: "user",
    query: z.object({ campaign: RowId.optional(), days: z.enum(CHART_DAYS).default("7") }),
    answer: Dashboard,
  }),
  campaigns: endpoint({
    method: "GET",
    path: "/api/dashboard/campaigns",
    summary: "The name of each campaign, newest first",
    access: "user",
    answer: z.object({ items: z.array(CampaignOption) }),
  }),
  firstSteps: endpoint({
    method: "GET",
    path: "/api/dashboard/first-steps",
    summary: "Which of the first steps of a new account are done",
    access: "user",
    answer: FirstSteps,
  }),
} as const;
