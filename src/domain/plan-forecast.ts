import type { RemainingQuota } from "./new-chats.ts";
import { type EndlessReason, type NumberPlan, rampOn } from "./number-plan.ts";
import { nextDay, nextOpen, planDay } from "./plan-hours.ts";
import { afterMessage, type Drawn, dueOf, type PlanUse } from "./plan-pace.ts";
import { dayInZone } from "./schedule.ts";

/** People who still get a message. */
export type Remaining = { warm: number; cold: number };

export type ForecastQuestion = {
  plan: NumberPlan;
  zone: string;
  /** Epoch ms. */
  now: number;
  people: Remaining;
  /** Of campaigns that share the number. */
  others: Remaining;
  /** Average of the slowest campaign's own interval. */
  intervalMs: number;
  use: PlanUse;
  coldToday: number;
  /** New conversations that WhatsApp still allows until then; null: unknown. */
  quota: RemainingQuota | null;
  mostDays?: number;
};

/** `budget`: new conversations allowed on that day, 0 on a closed one. */
export type ForecastDay = { day: string; warm: number; cold: number; budget: number };

export type Forecast = {
  /** Epoch ms of the last message; null: see `why`. */
  end: number | null;
  why: EndlessReason | null;
  days: ForecastDay[];
  /** What most days end by; null: it ends within a day. */
  limitedBy: "budget" | "hours" | null;
};

/** Longer forecasts say «mais de um ano». */
const MOST_DAYS = 400;
const AVERAGE: Drawn = { warm: 0.5, cold: 0.5, rest: 0.5 };

/** Walks through the messages at their average gaps, by the rules that the lane follows. */
export function forecast(question: ForecastQuestion): Forecast {
  const { plan, zone, now, people } = question;
  const days: ForecastDay[] = [];
  const nothing = (why: Forecast["why"]): Forecast => ({ end: null, why, days, limitedBy: null });
  if (people.warm + people.cold === 0) return { end: now, why: null, days, limitedBy: null };
  if (nextOpen(plan, zone, now) === null) return nothing("never_opens");
  if (people.cold > 0 && Math.max(plan.ramp.from, plan.ramp.to) === 0) return nothing("no_budget");
  const walk = new Walk(question);
  const ended = { budget: 0, hours: 0 };
  let day = dayInZone(new Date(now), zone);
  for (let i = 0; i < (question.mostDays ?? MOST_DAYS); i++, day = nextDay(day)) {
    const end = walk.through(day, days);
    if (end !== null) {
      const limitedBy = days.length < 2 ? null : ended.budget >= ended.hours ? "budget" : "hours";
      return { end, why: null, days, limitedBy };
    }
    const last = days.at(-1);
    if (last && last.budget > 0) ended[last.cold >= last.budget ? "budget" : "hours"] += 1;
  }
  return nothing("too_far");
}

/** Own people and those of others in turns, warm and cold ones evenly mixed. */
class Walk {
  readonly #question: ForecastQuestion;
  readonly #own: Remaining;
  readonly #others: Remaining;
  #at: number;
  #use: PlanUse;
  #quota: number;
  #isOwnTurn = true;

  constructor(question: ForecastQuestion) {
    this.#question = question;
    this.#own = { ...question.people };
    this.#others = { ...question.others };
    this.#at = question.now;
    this.#use = question.use;
    this.#quota = question.quota?.left ?? Number.POSITIVE_INFINITY;
  }

  /** Epoch ms of the last own message, or null when the day ends before it. */
  through(day: string, days: ForecastDay[]): number | null {
    const { plan, zone, quota, coldToday, now } = this.#question;
    const { opens, closes, start } = planDay(plan, zone, day);
    const isQuotaKnown = quota !== null && opens < quota.until;
    const already = start <= now ? coldToday : 0;
    const ramp = Math.max(0, rampOn(plan, day) - already);
    const budget = opens === closes ? 0 : isQuotaKnown ? Math.min(ramp, this.#quota) : ramp;
    const done: ForecastDay = { day, warm: 0, cold: 0, budget };
    days.push(done);
    this.#at = Math.max(this.#at, opens);
    let left = budget;
    while (this.#at < closes) {
      const next = this.#next(left > 0);
      if (next === null) return null;
      const due = dueOf(plan, this.#use, AVERAGE);
      const byInterval = (this.#use.lastAt ?? Number.NEGATIVE_INFINITY) + this.#question.intervalMs;
      const at = Math.max(this.#at, next.cold ? due.cold : due.warm, byInterval);
      if (at >= closes) return null;
      this.#use = afterMessage(plan, this.#use, { at, cold: next.cold, drawn: AVERAGE });
      this.#at = at;
      next.from[next.cold ? "cold" : "warm"] -= 1;
      if (next.cold) left -= 1;
      if (next.cold && isQuotaKnown) this.#quota -= 1;
      if (next.from !== this.#own) continue;
      done[next.cold ? "cold" : "warm"] += 1;
      if (this.#own.warm + this.#own.cold === 0) return at;
    }
    return null;
  }

  #next(mayBegin: boolean): { from: Remaining; cold: boolean } | null {
    const order = this.#isOwnTurn ? [this.#own, this.#others] : [this.#others, this.#own];
    this.#isOwnTurn = !this.#isOwnTurn;
    for (const from of order) {
      const isOwn = from === this.#own;
      const all = isOwn ? this.#question.people : this.#question.others;
      // Warm and cold leave in the share in which they are mixed.
      const cold = mayBegin && from.cold > 0 && from.cold * all.warm >= from.warm * all.cold;
      if (cold) return { from, cold };
      if (from.warm > 0) return { from, cold: false };
    }
    return null;
  }
}
