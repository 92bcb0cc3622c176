import { z } from "zod";
import { MONTH, NO_LAST_DAY } from "../domain/campaign-calendar.ts";
import { DisplayStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";

const Day = z.iso.date();

export const CalendarCampaign = z.object({
  id: z.number(),
  name: z.string(),
  status: DisplayStatus,
  connectionId: z
    .number()
    .nullable()
    .describe("The one that would serve, for a campaign that waits on «Conexão padrão»"),
  connectionName: z.string().nullable(),
  first: Day,
  last: Day.nullable().describe("Predicted while it waits or sends; null: see `why`"),
  why: z.enum(NO_LAST_DAY).nullable(),
  people: z.number().nullable().describe("Null where its start must count them"),
});
export type CalendarCampaign = z.infer<typeof CalendarCampaign>;

export const NumberDay = z.object({
  day: Day,
  sent: z.number(),
  predicted: z.number().describe("Messages from now on"),
  cold: z.number().describe("New conversations among them"),
  wanted: z.number().describe("New conversations that the campaigns would begin, each alone"),
  budget: z
    .number()
    .nullable()
    .describe("New conversations that the plan allows; null: no plan, or the day is over"),
});
export type NumberDay = z.infer<typeof NumberDay>;

export const SharedNumber = z.object({
  connectionId: z.number(),
  name: z.string(),
  from: Day,
  to: Day,
  campaigns: z
    .array(
      z.object({
        id: z.number(),
        name: z.string(),
        scheduled: z.boolean(),
        alone: Day.nullable().describe("Last day without the others; null: none is known"),
        together: Day.nullable().describe("Last day as it stands; null: none is known"),
      }),
    )
    .describe("In the order of their beginning"),
});
export type SharedNumber = z.infer<typeof SharedNumber>;

const Often = z.object({
  people: z.number(),
  from: Day.nullable(),
  to: Day.nullable(),
  weeklyLimit: z.number().nullable().describe("Campaigns that the account lets a person get in a week"),
});

export const CampaignCalendar = z.object({
  month: z.string(),
  today: Day,
  campaigns: z.array(CalendarCampaign).describe("Of the month's weeks, from Sunday"),
  cut: z.boolean().describe("There are more than are listed"),
  holidays: z.array(Day).describe("On which a plan sends nothing"),
  numbers: z
    .array(
      z.object({
        connectionId: z.number(),
        name: z.string(),
        planned: z.boolean(),
        days: z.array(NumberDay),
      }),
    )
    .describe("Those with a load in these weeks"),
  conflicts: z
    .object({
      shared: z.array(SharedNumber),
      often: Often.nullable().describe(
        "Reached by three campaigns or more within seven days: what reached people lately, who waits in running or paused campaigns (as of now), and who is in the audience of scheduled ones; null: too many to count",
      ),
    })
    .describe("Of what is still to come, in whatever month"),
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
