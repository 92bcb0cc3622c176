import { z } from "zod";
import { MONTH, NO_LAST_DAY } from "../domain/campaign-calendar.ts";
import { DisplayStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";

const Day = z.iso.date();

export const CalendarCampaign = z.object({
  id: z.number(),
  name: z.string(),
  status: DisplayStatus,
  /** The one that would serve, for a campaign that waits on «Conexão padrão». */
  connectionId: z.number().nullable(),
  connectionName: z.string().nullable(),
  first: Day,
  /** Predicted while it waits or sends; null: see `why`. */
  last: Day.nullable(),
  why: z.enum(NO_LAST_DAY).nullable(),
  /** Null where its start must count them. */
  people: z.number().nullable(),
});
export type CalendarCampaign = z.infer<typeof CalendarCampaign>;

export const NumberDay = z.object({
  day: Day,
  sent: z.number(),
  /** Messages from now on, and the new conversations among them. */
  predicted: z.number(),
  cold: z.number(),
  /** New conversations that the campaigns would begin, each alone. */
  wanted: z.number(),
  /** New conversations that the plan still allows; null: no plan, or the day is over. */
  budget: z.number().nullable(),
});
export type NumberDay = z.infer<typeof NumberDay>;

export const SharedNumber = z.object({
  connectionId: z.number(),
  name: z.string(),
  from: Day,
  to: Day,
  /** In the order of their beginning, with their last days alone and together; null: none is known. */
  campaigns: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      scheduled: z.boolean(),
      alone: Day.nullable(),
      together: Day.nullable(),
    }),
  ),
});
export type SharedNumber = z.infer<typeof SharedNumber>;

export const CampaignCalendar = z.object({
  month: z.string(),
  today: Day,
  /** Campaigns of the month's weeks. */
  campaigns: z.array(CalendarCampaign),
  /** There are more than are listed. */
  cut: z.boolean(),
  /** Holidays on which a plan sends nothing. */
  holidays: z.array(Day),
  /** With a load in these weeks; each has all their days. */
  numbers: z.array(
    z.object({ connectionId: z.number(), name: z.string(), planned: z.boolean(), days: z.array(NumberDay) }),
  ),
  /** Of what is still to come, in whatever month. */
  conflicts: z.object({
    shared: z.array(SharedNumber),
    /**
     * People whom three or more campaigns reach within seven days: what reached them lately, what waits in
     * campaigns that run or are paused (as of now), and whom scheduled ones reach. Null: too many to count.
     */
    often: z
      .object({
        people: z.number(),
        from: Day.nullable(),
        to: Day.nullable(),
        weeklyLimit: z.number().nullable(),
      })
      .nullable(),
  }),
});
export type CampaignCalendar = z.infer<typeof CampaignCalendar>;

export const campaignCalendar = {
  show: endpoint({
    method: "GET",
    path: "/api/campaign-calendar",
    summary:
      "A month of campaigns, past and predicted, the load of each number, and conflicts of what is to come",
    access: "user",
    query: z.object({ month: z.string().regex(MONTH).optional() }),
    answer: CampaignCalendar,
  }),
} as const;
