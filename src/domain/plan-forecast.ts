import type { RemainingQuota } from "./new-chats.ts";
import { type EndlessReason, type NumberPlan, rampOn } from "./number-plan.ts";
import { nextDay, nextOpen, planDay } from "./plan-hours.ts";
import { afterMessage, type Drawn, dueOf, type PlanUse } from "./plan-pace.ts";
import { dayInZone } from "./schedule.ts";

/** People who still get a message. */
export type Remaining = { warm: number; cold: number };

export type NumberQuestion = {
  plan: NumberPlan;
  zone: string;
  /** Epoch ms. */
  now: number;
  use: PlanUse;
  coldToday: number;
  /** New conversations that WhatsApp still allows until then; null: unknown. */
  quota: RemainingQuota | null;
  mostDays?: number;
};

export type ForecastQuestion = NumberQuestion & {
  people: Remaining;
  /** Of campaigns that share the number. */
  others: Remaining;
  /** Average of the slowest campaign's own interval. */
  intervalMs: number;
};

/** `from`: epoch ms. */
export type Sender = { people: Remaining; from: number; intervalMs: number };

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

export type SenderForecast = Pick<Forecast, "end" | "why" | "days">;

/** Longer forecasts say «mais de um ano». */
const MOST_DAYS = 400;
const AVERAGE: Drawn = { warm: 0.5, cold: 0.5, rest: 0.5 };

/** Walks through the messages at their average gaps, by the rules that the lane follows. */
export function forecast({ people, others, intervalMs, ...number }: ForecastQuestion): Forecast {
  const { plan, zone, now } = number;
  const days: ForecastDay[] = [];
  const nothing = (why: Forecast["why"]): Forecast => ({ end: null, why, days, limitedBy: null });
  if (people.warm + people.cold === 0) return { end: now, why: null, days, limitedBy: null };
  if (nextOpen(plan, zone, now) === null) return nothing("never_opens");
  if (people.cold > 0 && mostCold(plan) === 0) return nothing("no_budget");
  const walk = new Walk(number, [
    { people, from: now, intervalMs },
    { people: others, from: now, intervalMs },
  ]);
  const ended = { budget: 0, hours: 0 };
  let day = dayInZone(new Date(now), zone);
  for (let i = 0; i < (number.mostDays ?? MOST_DAYS); i++, day = nextDay(day)) {
    const [own] = walk.through(day);
    if (own) days.push(own);
    const end = walk.ends[0] ?? null;
    if (end !== null) {
      const limitedBy = days.length < 2 ? null : ended.budget >= ended.hours ? "budget" : "hours";
      return { end, why: null, days, limitedBy };
    }
    if (own && own.budget > 0) ended[own.cold >= own.budget ? "budget" : "hours"] += 1;
  }
  return nothing("too_far");
}

/** An answer for each, in their order. */
export function forecastTogether(number: NumberQuestion, senders: readonly Sender[]): SenderForecast[] {
  const { plan, zone, now } = number;
  const walk = new Walk(number, senders);
  const days = senders.map((): ForecastDay[] => []);
  const opens = nextOpen(plan, zone, now) !== null;
  let day = dayInZone(new Date(now), zone);
  for (let i = 0; opens && i < (number.mostDays ?? MOST_DAYS); i++, day = nextDay(day)) {
    if (!walk.ends.includes(null)) break;
    for (const [at, done] of walk.through(day).entries()) days[at]?.push(done);
  }
  return senders.map(({ people }, at) => {
    const end = walk.ends[at] ?? null;
    const stuck = people.cold > 0 && mostCold(plan) === 0 ? "no_budget" : "too_far";
    return { end, why: end !== null ? null : opens ? stuck : "never_opens", days: days[at] ?? [] };
  });
}

const mostCold = ({ ramp }: NumberPlan) => Math.max(ramp.from, ramp.to);

type Queue = Sender & { left: Remaining; end: number | null };

const isDone = ({ left }: Queue) => left.warm + left.cold === 0;

/** Campaigns in turns, warm and cold people of each evenly mixed. */
class Walk {
  readonly #question: NumberQuestion;
  readonly #queues: Queue[];
  #at: number;
  #use: PlanUse;
  #quota: number;
  #turn = 0;

  constructor(question: NumberQuestion, senders: readonly Sender[]) {
    this.#question = question;
    this.#queues = senders.map((sender) => {
      const queue = { ...sender, left: { ...sender.people }, end: null };
      return isDone(queue) ? { ...queue, end: Math.max(question.now, sender.from) } : queue;
    });
    this.#at = question.now;
    this.#use = question.use;
    this.#quota = question.quota?.left ?? Number.POSITIVE_INFINITY;
  }

  /** Epoch ms; null: people are left. */
  get ends(): (number | null)[] {
    return this.#queues.map(({ end }) => end);
  }

  through(day: string): ForecastDay[] {
    const { plan, zone, quota, coldToday, now } = this.#question;
    const { opens, closes, start } = planDay(plan, zone, day);
    const isQuotaKnown = quota !== null && opens < quota.until;
    const already = start <= now ? coldToday : 0;
    const ramp = Math.max(0, rampOn(plan, day) - already);
    const budget = opens === closes ? 0 : isQuotaKnown ? Math.min(ramp, this.#quota) : ramp;
    const done = this.#queues.map((): ForecastDay => ({ day, warm: 0, cold: 0, budget }));
    this.#at = Math.max(this.#at, opens);
    let left = budget;
    while (this.#at < closes) {
      const next = this.#next(left > 0);
      if (next === null) {
        const start = this.#nextStart();
        if (start >= closes) break;
        this.#at = start;
        continue;
      }
      const due = dueOf(plan, this.#use, AVERAGE);
      const byInterval = (this.#use.lastAt ?? Number.NEGATIVE_INFINITY) + this.#interval();
      const at = Math.max(this.#at, next.cold ? due.cold : due.warm, byInterval);
      if (at >= closes) break;
      this.#use = afterMessage(plan, this.#use, { at, cold: next.cold, drawn: AVERAGE });
      this.#at = at;
      const kind = next.cold ? "cold" : "warm";
      if (next.cold) left -= 1;
      if (next.cold && isQuotaKnown) this.#quota -= 1;
      const queue = this.#queues[next.nth];
      const sent = done[next.nth];
      if (!queue || !sent) break;
      queue.left[kind] -= 1;
      sent[kind] += 1;
      if (isDone(queue)) queue.end = at;
    }
    return done;
  }

  #next(mayBegin: boolean): { nth: number; cold: boolean } | null {
    const { length } = this.#queues;
    const turn = this.#turn++;
    for (let i = 0; i < length; i++) {
      const nth = (turn + i) % length;
      const queue = this.#queues[nth];
      if (!queue || queue.from > this.#at) continue;
      const { left, people } = queue;
      // Warm and cold leave in the share in which they are mixed.
      const cold = mayBegin && left.cold > 0 && left.cold * people.warm >= left.warm * people.cold;
      if (cold) return { nth, cold };
      if (left.warm > 0) return { nth, cold: false };
    }
    return null;
  }

  #interval(): number {
    let most = 0;
    for (const queue of this.#queues)
      if (queue.intervalMs > most && queue.from <= this.#at && !isDone(queue)) most = queue.intervalMs;
    return most;
  }

  #nextStart(): number {
    const starts = this.#queues.filter((queue) => queue.from > this.#at && !isDone(queue));
    return Math.min(...starts.map(({ from }) => from));
  }
}
