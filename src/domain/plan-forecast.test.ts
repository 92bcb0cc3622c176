import fc from "fast-check";
import { expect, test } from "vitest";
import { type NumberPlan, recommendedPlan } from "./number-plan.ts";
import { forecast, forecastTogether, type Sender } from "./plan-forecast.ts";
import { UNUSED } from "./plan-pace.ts";

const ZONE = "America/Sao_Paulo";
/** A Monday, 8:00 in São Paulo. */
const NOW = Date.parse("2026-11-23T11:00:00Z");
const DAY_MS = 86_400_000;
const PLAN: NumberPlan = { ...recommendedPlan("2026-01-01"), ramp: { from: 50, to: 50, days: 1 } };
const number = { plan: PLAN, zone: ZONE, now: NOW, use: UNUSED, coldToday: 0, quota: null };
const sender = (given: Partial<Sender> = {}): Sender => ({
  people: { warm: 0, cold: 100 },
  from: NOW,
  intervalMs: 0,
  ...given,
});
const cold = (days: readonly { cold: number }[]) => days.map((day) => day.cold);

test("a campaign alone ends as its own forecast says", () => {
  const people = { warm: 40, cold: 130 };
  const [alone] = forecastTogether(number, [sender({ people, intervalMs: 60_000 })]);
  const own = forecast({ ...number, people, others: { warm: 0, cold: 0 }, intervalMs: 60_000 });
  expect(alone).toEqual({ end: own.end, why: null, days: own.days });
});

test("one that begins later delays the first from its start on, and shares the day's budget", () => {
  const [first, second] = forecastTogether(number, [
    sender(),
    sender({ people: { warm: 0, cold: 60 }, from: NOW + DAY_MS }),
  ]);
  expect(cold(first?.days ?? [])).toEqual([50, 25, 25, 0]);
  expect(cold(second?.days ?? [])).toEqual([0, 25, 25, 10]);
});

test("before its start nothing of a campaign leaves, and a number that waits for it is idle", () => {
  const from = NOW + 3 * DAY_MS + 3_600_000;
  const [only] = forecastTogether(number, [sender({ people: { warm: 1, cold: 0 }, from })]);
  expect(only?.end).toBe(from);
  const [empty] = forecastTogether(number, [sender({ people: { warm: 0, cold: 0 }, from })]);
  expect(empty).toEqual({ end: from, why: null, days: [] });
});

test("each says why it has no end", () => {
  const whys = (plan: NumberPlan, senders: Sender[]) =>
    forecastTogether({ ...number, plan, mostDays: 20 }, senders).map(({ why }) => why);
  const both = [sender(), sender({ people: { warm: 3, cold: 0 } })];
  expect(whys({ ...PLAN, hours: PLAN.hours.map(() => null) }, both)).toEqual(["never_opens", "never_opens"]);
  expect(whys({ ...PLAN, ramp: { from: 0, to: 0, days: 1 } }, both)).toEqual(["no_budget", null]);
  expect(whys(PLAN, [sender({ people: { warm: 0, cold: 5_000 } })])).toEqual(["too_far"]);
});

const senders = fc.array(
  fc.record({
    people: fc.record({ warm: fc.nat(150), cold: fc.nat(150) }),
    from: fc.integer({ min: -2, max: 12 }).map((days) => NOW + days * DAY_MS),
    intervalMs: fc.constantFrom(0, 30_000, 120_000),
  }),
  { minLength: 1, maxLength: 4 },
);

test("together they never pass a day's budget, all that fit into a year end, and none ends earlier than alone", () => {
  fc.assert(
    fc.property(senders, fc.integer({ min: 1, max: 80 }), (all, budget) => {
      const plan = { ...PLAN, ramp: { from: budget, to: budget, days: 1 }, rest: null };
      const together = forecastTogether({ ...number, plan }, all);
      const days = together[0]?.days ?? [];
      for (const [at, { budget: allowed }] of days.entries()) {
        const begun = together.reduce((sum, one) => sum + (one.days[at]?.cold ?? 0), 0);
        expect(begun).toBeLessThanOrEqual(allowed);
      }
      for (const [nth, { people, from }] of all.entries()) {
        const { end = null, why = null, days: sent = [] } = together[nth] ?? {};
        expect(sent.reduce((sum, day) => sum + day.warm, 0)).toBe(people.warm);
        if (end === null) {
          expect([why, sent.length]).toEqual(["too_far", 400]);
          expect(all.reduce((sum, one) => sum + one.people.cold, 0)).toBeGreaterThan(budget * 300);
          continue;
        }
        expect(sent.reduce((sum, day) => sum + day.cold, 0)).toBe(people.cold);
        expect(end).toBeGreaterThanOrEqual(Math.max(NOW, from));
        const [alone] = forecastTogether({ ...number, plan }, all.slice(nth, nth + 1));
        expect(end).toBeGreaterThanOrEqual(alone?.end ?? 0);
      }
    }),
    { numRuns: 60 },
  );
});
