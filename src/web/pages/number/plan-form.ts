import {
  COLD_MOST,
  GAP_MOST_S,
  type NumberPlan,
  type OpenHours,
  RAMP_DAYS_MOST,
  RECOMMENDED,
  REST_AFTER_MOST,
  REST_MOST_MIN,
} from "../../../domain/number-plan.ts";
import type { Errors } from "../../forms/use-fields.ts";
import { numberPlanText } from "../../messages/number-plan.ts";

const t = numberPlanText.form;
const WEEK = [0, 1, 2, 3, 4, 5, 6] as const;
type Day = (typeof WEEK)[number];

const WHOLE = {
  rampFrom: [0, COLD_MOST],
  rampTo: [0, COLD_MOST],
  rampDays: [1, RAMP_DAYS_MOST],
  coldLeast: [0, GAP_MOST_S],
  coldMost: [0, GAP_MOST_S],
  warmLeast: [0, GAP_MOST_S],
  warmMost: [0, GAP_MOST_S],
  restAfter: [1, REST_AFTER_MOST],
  restLeast: [0, REST_MOST_MIN],
  restMost: [0, REST_MOST_MIN],
} as const;
export type WholeField = keyof typeof WHOLE;

export type PlanValues = Record<WholeField | "since" | `from${Day}` | `to${Day}`, string> &
  Record<"holidays" | "rests" | `open${Day}`, boolean>;

export const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60) % 24).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

const minutesOf = (typed: string): number | null => {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(typed.trim());
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
};

/** Midnight as the end is that of the day. */
const endOf = (typed: string): number | null => {
  const minutes = minutesOf(typed);
  return minutes === 0 ? 1440 : minutes;
};

export function valuesOf(plan: NumberPlan): PlanValues {
  const rest = plan.rest ?? RECOMMENDED.rest;
  const values: Record<string, string | boolean> = {
    holidays: plan.restsOnHolidays,
    since: plan.inUseSince,
    rests: plan.rest !== null,
  };
  const numbers: Record<WholeField, number> = {
    rampFrom: plan.ramp.from,
    rampTo: plan.ramp.to,
    rampDays: plan.ramp.days,
    coldLeast: plan.coldGapS.least,
    coldMost: plan.coldGapS.most,
    warmLeast: plan.warmGapS.least,
    warmMost: plan.warmGapS.most,
    restAfter: rest.after,
    restLeast: rest.minutes.least,
    restMost: rest.minutes.most,
  };
  for (const [name, value] of Object.entries(numbers)) values[name] = String(value);
  for (const day of WEEK) {
    const open = plan.hours[day] ?? null;
    values[`open${day}`] = open !== null;
    values[`from${day}`] = clockOf((open ?? RECOMMENDED.hours).from);
    values[`to${day}`] = clockOf((open ?? RECOMMENDED.hours).to);
  }
  return values as PlanValues;
}

export function errorsOf(values: PlanValues): Errors<PlanValues> {
  const errors: Record<string, string | null> = {};
  const skipped = (name: string) => name.startsWith("rest") && !values.rests;
  for (const [name, [least, most]] of Object.entries(WHOLE)) {
    const typed = values[name as WholeField].trim();
    if (skipped(name)) continue;
    if (!/^\d{1,7}$/.test(typed)) errors[name] = t.number;
    else if (Number(typed) < least || Number(typed) > most) errors[name] = t.between(least, most);
  }
  for (const [least, most] of [
    ["coldLeast", "coldMost"],
    ["warmLeast", "warmMost"],
    ["restLeast", "restMost"],
  ] as const)
    if (!skipped(most) && !errors[least] && !errors[most] && Number(values[most]) < Number(values[least]))
      errors[most] = t.order;
  for (const day of WEEK) {
    if (!values[`open${day}`]) continue;
    const from = minutesOf(values[`from${day}`]);
    const to = endOf(values[`to${day}`]);
    if (from === null) errors[`from${day}`] = t.time;
    if (to === null) errors[`to${day}`] = t.time;
    else if (from !== null && to <= from) errors[`to${day}`] = t.ends;
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.since)) errors.since = t.day;
  return errors as Errors<PlanValues>;
}

/** Of values without errors. */
export function planOf(values: PlanValues): NumberPlan {
  const whole = (name: WholeField) => Number(values[name]);
  const hoursOf = (day: Day): OpenHours | null =>
    values[`open${day}`]
      ? { from: minutesOf(values[`from${day}`]) ?? 0, to: endOf(values[`to${day}`]) ?? 1440 }
      : null;
  return {
    hours: WEEK.map(hoursOf),
    restsOnHolidays: values.holidays,
    inUseSince: values.since,
    ramp: { from: whole("rampFrom"), to: whole("rampTo"), days: whole("rampDays") },
    coldGapS: { least: whole("coldLeast"), most: whole("coldMost") },
    warmGapS: { least: whole("warmLeast"), most: whole("warmMost") },
    rest: values.rests
      ? { after: whole("restAfter"), minutes: { least: whole("restLeast"), most: whole("restMost") } }
      : null,
  };
}
