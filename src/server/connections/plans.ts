import type { PlanView } from "../../contract/number-plans.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { type NumberPlan, opensOn, type PlanRisk, rampOn, risksOf } from "../../domain/number-plan.ts";
import { nextDay, planState } from "../../domain/plan-hours.ts";
import { dayInZone, daysUntil, startOfDay } from "../../domain/schedule.ts";
import { record } from "../audit/service.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { numbersOf } from "../sending/sending.ts";

type PlanDeps = { clock: Clock; changes: Pick<Changes, "mark"> };

/** Days before today, and from today on. */
const SHOWN = { before: 7, after: 7 };

/** Hours, pace and new conversations of a number. */
export class PlanService {
  readonly #deps: PlanDeps;

  constructor(deps: PlanDeps) {
    this.#deps = deps;
  }

  async show(owner: Owner, id: number): Promise<PlanView> {
    const numbers = numbersOf(owner);
    const reading = await numbers.readPlan(id);
    if (!reading) throw new AppError("not_found");
    const { name, number, zone, plan, restsUntil } = reading;
    const now = this.#deps.clock.now();
    const today = dayInZone(now, zone);
    const past = daysUntil(today, SHOWN.before + 1);
    const began = await numbers.coldByDay(id, zone, startOfDay(past[0] ?? today, zone));
    const uses = await numbers.coldByUse(id, startOfDay(today, zone));
    const byDay = new Map(began.map(({ day, cold }) => [day, cold]));
    const coldToday = byDay.get(today) ?? 0;
    const used = { restsUntil: restsUntil?.getTime() ?? null, coldToday };
    const { state, until } = plan
      ? planState(plan, zone, now.getTime(), used)
      : { state: "open" as const, until: null };
    return {
      name,
      number,
      zone,
      plan,
      risks: risksOf(plan, today),
      state,
      until: until === null ? null : new Date(until).toISOString(),
      coldToday,
      budget: plan ? Math.max(0, rampOn(plan, today) - coldToday) : null,
      days: [
        ...past.map((day) => ({ day, cold: byDay.get(day) ?? 0, budget: allowed(plan, day) })),
        ...following(today).map((day) => ({ day, cold: null, budget: allowed(plan, day) })),
      ],
      uses,
    };
  }

  async store(
    owner: Owner,
    id: number,
    { plan, accepts }: { plan: NumberPlan | null; accepts: readonly PlanRisk[] },
  ): Promise<PlanView> {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const before = await numbersOf(inside).readPlan(id);
      if (!before) throw new AppError("not_found");
      const today = dayInZone(this.#deps.clock.now(), before.zone);
      const risks = risksOf(plan, today);
      const already = new Set(risksOf(before.plan, today));
      const asked = risks.filter((risk) => !already.has(risk) && !accepts.includes(risk));
      if (asked.length > 0) throw new AppError("plan_risky", { risks: asked });
      await numbersOf(inside).storePlan(id, plan);
      await record(inside, {
        kind: "plan_changed",
        subject: before.name,
        details: { risks: risks.join(" ") },
      });
    });
    this.#deps.changes.mark(owner.accountId, "connections", id);
    this.#deps.changes.mark(owner.accountId, "campaigns");
    return this.show(owner, id);
  }
}

const following = (today: string) => {
  const days: string[] = [];
  for (let day = today; days.length < SHOWN.after; ) {
    day = nextDay(day);
    days.push(day);
  }
  return days;
};

const allowed = (plan: NumberPlan | null, day: string): number =>
  plan === null || opensOn(plan, day) === null ? 0 : rampOn(plan, day);
