import { z } from "zod";
import {
  COLD_MOST,
  GAP_MOST_S,
  PLAN_RISKS,
  PLAN_STATES,
  RAMP_DAYS_MOST,
  REST_AFTER_MOST,
  REST_MOST_MIN,
} from "../domain/number-plan.ts";
import { NewChats } from "./connections.ts";
import { endpoint } from "./endpoint.ts";
import { IdParams } from "./ids.ts";

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const range = (most: number) =>
  z
    .strictObject({ least: whole(0, most), most: whole(0, most) })
    .refine(({ least, most: longest }) => least <= longest, { path: ["most"], message: "too_small" });

const OpenHours = z
  .strictObject({ from: whole(0, 1439), to: whole(1, 1440) })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "too_small" });

export const NumberPlan = z.strictObject({
  /** Minutes of the local day, Monday first; null: closed. */
  hours: z.array(OpenHours.nullable()).length(7),
  restsOnHolidays: z.boolean(),
  inUseSince: z.iso.date(),
  /** New conversations a day. */
  ramp: z.strictObject({
    from: whole(0, COLD_MOST),
    to: whole(0, COLD_MOST),
    days: whole(1, RAMP_DAYS_MOST),
  }),
  coldGapS: range(GAP_MOST_S),
  warmGapS: range(GAP_MOST_S),
  rest: z.strictObject({ after: whole(1, REST_AFTER_MOST), minutes: range(REST_MOST_MIN) }).nullable(),
});

export const PlanRisk = z.enum(PLAN_RISKS);

export const PlanState = z.enum(PLAN_STATES);
export type PlanState = z.infer<typeof PlanState>;

export const PlanView = z.object({
  name: z.string(),
  number: z.string().nullable(),
  zone: z.string(),
  /** Null: messages leave as their campaigns ask. */
  plan: NumberPlan.nullable(),
  risks: z.array(PlanRisk),
  state: PlanState,
  /** When the state ends by itself, if that is known. */
  until: z.string().nullable(),
  coldToday: z.number(),
  /** New conversations left today; null without a plan. */
  budget: z.number().nullable(),
  newChats: NewChats.nullable(),
  /** `cold`: new conversations that began; null: not yet. `budget`: allowed; 0: closed. */
  days: z.array(z.object({ day: z.string(), cold: z.number().nullable(), budget: z.number() })),
  /** Of today; without a campaign: single messages. */
  uses: z.array(
    z.object({ campaignId: z.number().nullable(), name: z.string().nullable(), cold: z.number() }),
  ),
});
export type PlanView = z.infer<typeof PlanView>;

export const numberPlans = {
  show: endpoint({
    method: "GET",
    path: "/api/connections/{id}/plan",
    summary: "Hours, pace and new conversations of a number, and what is used of them",
    access: "user",
    params: IdParams,
    answer: PlanView,
  }),
  store: endpoint({
    method: "PUT",
    path: "/api/connections/{id}/plan",
    summary:
      "Change a number's plan; 409 `plan_risky` with `details.risks` until these are accepted; null: no plan",
    access: "user",
    params: IdParams,
    body: z.strictObject({
      plan: NumberPlan.nullable(),
      accepts: z.array(PlanRisk).max(PLAN_RISKS.length).default([]),
    }),
    answer: PlanView,
  }),
};
