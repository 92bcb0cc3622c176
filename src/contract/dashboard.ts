import { z } from "zod";
import { DisplayStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { RowId } from "./ids.ts";

/** `change`: last 30 days against the 30 before (0.124 is +12.4 %); null without data, shown «—». */
const Figure = z.object({ value: z.number().nullable(), change: z.number().nullable() });

const CampaignOption = z.object({ id: z.number(), name: z.string() });

export const CHART_DAYS = ["7", "30", "90"] as const;

export const Dashboard = z.object({
  cards: z.object({
    sent: Figure,
    /**
     * Change: contacts of lists made in the last 30 days, since joins and removals are not stored. With a
     * campaign: its people.
     */
    contacts: Figure,
    /** Shares 0–1 of the attempts; change is their difference (0.004 is 0.4 percentage points). */
    rate: Figure.extend({ confirmed: z.number().nullable() }),
    interval: Figure,
  }),
  /** Days in the account's zone, oldest first, ending today; empty days are 0. */
  days: z.array(
    z.object({
      /** `2026-11-19` */
      day: z.string(),
      sent: z.number(),
      delivered: z.number(),
      confirmed: z.number(),
    }),
  ),
  statuses: z.object({ total: z.number(), byStatus: z.record(DisplayStatus, z.number()) }),
  /** attempts = delivered + errors + uncertain; the rates are shares of it, null without attempts. */
  gauge: z.object({
    rate: z.number().nullable(),
    confirmedRate: z.number().nullable(),
    readRate: z.number().nullable(),
    attempts: z.number(),
    delivered: z.number(),
    confirmed: z.number(),
    read: z.number(),
    errors: z.number(),
    uncertain: z.number(),
  }),
  recent: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: DisplayStatus,
      messages: z.number().nullable(),
      started: z.boolean(),
      rate: z.number().nullable(),
      date: z.string(),
    }),
  ),
  options: z.array(CampaignOption),
  /** Older campaigns load on demand, since these figures may be requested every second. */
  moreBefore: z.number().nullable(),
  zone: z.string(),
});
export type Dashboard = z.infer<typeof Dashboard>;

export const FirstSteps = z.object({
  connect: z.boolean(),
  contacts: z.boolean(),
  test: z.boolean(),
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
