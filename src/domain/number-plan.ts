import { isHoliday } from "./holidays.ts";

/** Minutes of a local day; `to` is at most 1440. */
export type OpenHours = { from: number; to: number };

/** Seconds or minutes; the real value is drawn between both. */
export type Range = { least: number; most: number };

export type NumberPlan = {
  /** Monday first; null: closed. */
  hours: (OpenHours | null)[];
  /** Nothing leaves on national holidays of Brazil. */
  restsOnHolidays: boolean;
  /** Local day since when the number is in use. */
  inUseSince: string;
  /** New conversations a day: the first day's, the last day's, and the days between them. */
  ramp: { from: number; to: number; days: number };
  /** Between two messages that begin conversations. */
  coldGapS: Range;
  warmGapS: Range;
  /** After so many messages of campaigns; null: none. */
  rest: { after: number; minutes: Range } | null;
};

/** Bounds past which a plan asks first. Estimates: WhatsApp publishes none of them. */
export const RECOMMENDED = {
  coldPerDay: 150,
  newPerDay: 20,
  rampDays: 14,
  coldGapS: { least: 45, most: 120 },
  warmGapS: { least: 8, most: 25 },
  rest: { after: 30, minutes: { least: 10, most: 20 } },
  hours: { from: 8 * 60, to: 20 * 60 },
} as const;

export const COLD_MOST = 100_000;

/** Holds nothing back. */
export const BOUNDLESS_PLAN: NumberPlan = {
  hours: Array.from({ length: 7 }, () => ({ from: 0, to: 1440 })),
  restsOnHolidays: false,
  inUseSince: "2000-01-01",
  ramp: { from: COLD_MOST, to: COLD_MOST, days: 1 },
  coldGapS: { least: 0, most: 0 },
  warmGapS: { least: 0, most: 0 },
  rest: null,
};

export const GAP_MOST_S = 3_600;
export const RAMP_DAYS_MOST = 365;
export const REST_AFTER_MOST = 10_000;
export const REST_MOST_MIN = 240;

export function recommendedPlan(inUseSince: string): NumberPlan {
  const { hours, newPerDay, coldPerDay, rampDays, coldGapS, warmGapS, rest } = RECOMMENDED;
  return {
    hours: [...Array.from({ length: 6 }, () => hours), null],
    restsOnHolidays: false,
    inUseSince,
    ramp: { from: newPerDay, to: coldPerDay, days: rampDays },
    coldGapS,
    warmGapS,
    rest,
  };
}

export const PLAN_RISKS = [
  "no_plan",
  "cold_per_day",
  "ramp",
  "cold_gap",
  "warm_gap",
  "rest",
  "night",
] as const;
export type PlanRisk = (typeof PLAN_RISKS)[number];

/** What goes past the recommended bounds; null: no plan. */
export function risksOf(plan: NumberPlan | null, today: string): PlanRisk[] {
  if (plan === null) return ["no_plan"];
  const { ramp, coldGapS, warmGapS, rest, hours } = plan;
  const bound = RECOMMENDED;
  const isSteep = ramp.days < bound.rampDays || ramp.from > bound.newPerDay;
  const isNew = daysBetween(plan.inUseSince, today) < bound.rampDays;
  const found: Record<PlanRisk, boolean> = {
    no_plan: false,
    cold_per_day: Math.max(ramp.from, ramp.to) > bound.coldPerDay,
    ramp: isNew && isSteep && ramp.to > bound.newPerDay,
    cold_gap: coldGapS.least < bound.coldGapS.least || coldGapS.most < bound.coldGapS.most,
    warm_gap: warmGapS.least < bound.warmGapS.least || warmGapS.most < bound.warmGapS.most,
    rest: rest === null || rest.after > bound.rest.after || rest.minutes.least < bound.rest.minutes.least,
    night: hours.some((day) => day !== null && (day.from < 7 * 60 || day.to > 22 * 60)),
  };
  return PLAN_RISKS.filter((risk) => found[risk]);
}

const daysBetween = (from: string, to: string) =>
  Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 86_400_000);

/** New conversations that the ramp allows on a local day. */
export function rampOn({ inUseSince, ramp }: Pick<NumberPlan, "inUseSince" | "ramp">, day: string): number {
  const nth = Math.max(0, daysBetween(inUseSince, day));
  if (nth >= ramp.days - 1) return ramp.to;
  return Math.floor(ramp.from + ((ramp.to - ramp.from) * nth) / (ramp.days - 1));
}

export function opensOn({ hours, restsOnHolidays }: NumberPlan, day: string): OpenHours | null {
  const weekday = (new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7;
  const open = hours[weekday] ?? null;
  return open === null || open.from >= open.to || (restsOnHolidays && isHoliday(day)) ? null : open;
}

/** What a number does now. */
export const PLAN_STATES = ["open", "closed", "resting", "used_up", "never_opens"] as const;
export type PlanState = (typeof PLAN_STATES)[number];

/** Why a forecast has no end. */
export const ENDLESS_REASONS = ["never_opens", "no_budget", "too_far"] as const;
export type EndlessReason = (typeof ENDLESS_REASONS)[number];
