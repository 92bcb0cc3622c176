import { Temporal } from "temporal-polyfill";
import type { RemainingQuota } from "./new-chats.ts";
import { type NumberPlan, opensOn, type PlanState, rampOn } from "./number-plan.ts";
import { dayInZone, startOfDay } from "./schedule.ts";

const DAY_MINUTES = 1440;

/** Epoch milliseconds of the local day and of the time in it that is open; an hour skipped by the clock opens later. */
export type PlanDay = { day: string; start: number; opens: number; closes: number };

export function planDay(plan: NumberPlan, zone: string, day: string): PlanDay {
  const local = Temporal.PlainDate.from(day);
  const start = startOfDay(day, zone);
  const open = opensOn(plan, day);
  if (open === null) return { day, start, opens: start, closes: start };
  const at = (minutes: number) => {
    const date = minutes >= DAY_MINUTES ? local.add({ days: 1 }) : local;
    const left = minutes % DAY_MINUTES;
    const time = Temporal.PlainTime.from({ hour: Math.floor(left / 60), minute: left % 60 });
    return date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
  };
  return { day, start, opens: at(open.from), closes: at(open.to) };
}

export const nextDay = (day: string): string => Temporal.PlainDate.from(day).add({ days: 1 }).toString();

/** Longest look ahead for an open day: a week of holidays is the worst that a calendar brings. */
const LOOK_DAYS = 15;

/** Epoch ms of the next open moment, `now` itself while it is open; null: no day opens. */
export function nextOpen(plan: NumberPlan, zone: string, now: number): number | null {
  let day = dayInZone(new Date(now), zone);
  for (let i = 0; i < LOOK_DAYS; i++, day = nextDay(day)) {
    const { opens, closes } = planDay(plan, zone, day);
    if (opens < closes && now < closes) return Math.max(now, opens);
  }
  return null;
}

type Used = { restsUntil: number | null; coldToday: number; quota: RemainingQuota | null };

/** What the number does at `now`, and when that ends by itself (epoch ms). */
export function planState(
  plan: NumberPlan,
  zone: string,
  now: number,
  { restsUntil, coldToday, quota }: Used,
): { state: PlanState; until: number | null } {
  const open = nextOpen(plan, zone, now);
  if (open === null) return { state: "never_opens", until: null };
  if (open > now) return { state: "closed", until: open };
  if (restsUntil !== null && restsUntil > now) return { state: "resting", until: restsUntil };
  const today = dayInZone(new Date(now), zone);
  const ends: number[] = [];
  if (coldToday >= rampOn(plan, today)) ends.push(planDay(plan, zone, nextDay(today)).start);
  if (quota?.left === 0) ends.push(quota.until);
  if (ends.length === 0) return { state: "open", until: planDay(plan, zone, today).closes };
  return { state: "used_up", until: nextOpen(plan, zone, Math.max(...ends)) };
}
