import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHoliday } from "./holidays.ts";
import { type NumberPlan, rampOn, recommendedPlan, risksOf } from "./number-plan.ts";
import { forecast } from "./plan-forecast.ts";
import { nextOpen, planDay } from "./plan-hours.ts";
import { UNUSED } from "./plan-pace.ts";
import { dayInZone } from "./schedule.ts";

const ZONE = "America/Sao_Paulo";
const at = (wall: string) => Date.parse(`${wall}-03:00`);
const NEW = recommendedPlan("2026-11-23");
const OLD = recommendedPlan("2026-01-01");

test("holidays are those of the law, with Good Friday of each year", () => {
  const days = [
    "2024-03-29",
    "2025-04-18",
    "2026-04-03",
    "2027-03-26",
    "2038-04-23",
    "2026-11-20",
    "2026-12-25",
  ];
  expect(days.filter(isHoliday)).toEqual(days);
  expect(["2026-02-17", "2026-06-04", "2026-04-05", "2026-11-19"].filter(isHoliday)).toEqual([]);
});

describe("the ramp", () => {
  test("rises from the first day to the fourteenth and stays there", () => {
    const days = ["2026-11-23", "2026-11-24", "2026-11-30", "2026-12-05", "2026-12-06", "2027-03-01"];
    expect(days.map((day) => rampOn(NEW, day))).toEqual([20, 30, 90, 140, 150, 150]);
    expect(rampOn(OLD, "2026-11-23")).toBe(150);
  });

  test("gives a day before the first the first day's, and one of a single day its last", () => {
    expect(rampOn(NEW, "2026-11-01")).toBe(20);
    expect(rampOn({ ...NEW, ramp: { from: 5, to: 60, days: 1 } }, "2026-11-23")).toBe(60);
  });
});

describe("hours", () => {
  test.each([
    ["on an open day before it opens", "2026-11-23T06:30", "2026-11-23T08:00"],
    ["while it is open", "2026-11-23T12:34", "2026-11-23T12:34"],
    ["after it closes", "2026-11-23T20:00", "2026-11-24T08:00"],
    ["over a Sunday", "2026-11-28T21:00", "2026-11-30T08:00"],
  ])("%s", (_, now, open) => {
    expect(nextOpen(OLD, ZONE, at(now))).toBe(at(open));
  });

  test("holidays are closed when chosen", () => {
    const plan = { ...OLD, restsOnHolidays: true };
    expect(nextOpen(plan, ZONE, at("2026-12-25T09:00"))).toBe(at("2026-12-26T08:00"));
    expect(nextOpen(OLD, ZONE, at("2026-12-25T09:00"))).toBe(at("2026-12-25T09:00"));
  });

  test("that never open have no next moment", () => {
    const closed = { ...OLD, hours: OLD.hours.map(() => null) };
    expect(nextOpen(closed, ZONE, at("2026-12-25T09:00"))).toBeNull();
    const empty = { ...OLD, hours: OLD.hours.map(() => ({ from: 600, to: 600 })) };
    expect(nextOpen(empty, ZONE, at("2026-12-25T09:00"))).toBeNull();
  });

  test("follow the local clock through a change of it, and a full day ends at midnight", () => {
    const plan = { ...OLD, hours: OLD.hours.map(() => ({ from: 0, to: 1440 })) };
    const hours = (zone: string, day: string) => {
      const { opens, closes } = planDay(plan, zone, day);
      return (closes - opens) / 3_600_000;
    };
    expect(hours("America/New_York", "2026-03-08")).toBe(23);
    expect(hours("America/New_York", "2026-11-01")).toBe(25);
    expect(hours(ZONE, "2026-11-01")).toBe(24);
  });
});

test("only what goes past a recommended bound is a risk", () => {
  expect(risksOf(NEW, "2026-11-23")).toEqual([]);
  expect(risksOf(OLD, "2026-11-23")).toEqual([]);
  const risky: NumberPlan = {
    hours: [{ from: 0, to: 1440 }, null, null, null, null, null, null],
    restsOnHolidays: false,
    inUseSince: "2026-11-23",
    ramp: { from: 200, to: 200, days: 1 },
    coldGapS: { least: 5, most: 5 },
    warmGapS: { least: 1, most: 2 },
    rest: null,
  };
  expect(risksOf(risky, "2026-11-23")).toEqual([
    "cold_per_day",
    "ramp",
    "cold_gap",
    "warm_gap",
    "rest",
    "night",
  ]);
  expect(risksOf({ ...NEW, ramp: { from: 10, to: 60, days: 30 } }, "2026-11-23")).toEqual([]);
});

const base = {
  zone: ZONE,
  now: at("2026-11-23T08:00"),
  others: { warm: 0, cold: 0 },
  intervalMs: 0,
  use: UNUSED,
  coldToday: 0,
  quota: null,
};

describe("the forecast", () => {
  test("spreads cold people over the days of the ramp", () => {
    const { days, end, limitedBy } = forecast({ ...base, plan: NEW, people: { warm: 37, cold: 373 } });
    expect(days.map(({ cold }) => cold)).toEqual([20, 30, 40, 50, 60, 70, 0, 90, 13]);
    expect(days.reduce((sum, { warm }) => sum + warm, 0)).toBe(37);
    expect(dayInZone(new Date(end ?? 0), ZONE)).toBe("2026-12-01");
    expect(limitedBy).toBe("budget");
  });

  test("takes what was used today and WhatsApp's quota of the cycle from the budget", () => {
    const used = forecast({ ...base, plan: OLD, people: { warm: 0, cold: 200 }, coldToday: 100 });
    expect(used.days.map(({ cold }) => cold)).toEqual([50, 150]);
    const quota = { left: 60, until: at("2026-11-25T00:00") };
    const capped = forecast({ ...base, plan: OLD, people: { warm: 0, cold: 200 }, quota });
    expect(capped.days.map(({ cold }) => cold)).toEqual([60, 0, 140]);
  });

  test("waits longer between new people than between others, and rests", () => {
    const seconds = (people: { warm: number; cold: number }, rest: NumberPlan["rest"]) => {
      const { end } = forecast({ ...base, plan: { ...OLD, rest }, people });
      return ((end ?? 0) - base.now) / 1000;
    };
    expect(seconds({ warm: 0, cold: 11 }, null)).toBe(10 * 82.5);
    expect(seconds({ warm: 11, cold: 0 }, null)).toBe(10 * 16.5);
    expect(seconds({ warm: 11, cold: 0 }, { after: 5, minutes: { least: 10, most: 20 } })).toBe(
      8 * 16.5 + 2 * 900,
    );
  });

  test("lets campaigns of one number take turns", () => {
    const alone = forecast({ ...base, plan: OLD, people: { warm: 100, cold: 0 } });
    const shared = forecast({
      ...base,
      plan: OLD,
      people: { warm: 100, cold: 0 },
      others: { warm: 100, cold: 0 },
    });
    const hours = ({ end }: { end: number | null }) => ((end ?? 0) - base.now) / 3_600_000;
    expect(hours(shared) / hours(alone)).toBeCloseTo(2, 0);
  });

  test("says why there is no end", () => {
    const closed = { ...OLD, hours: OLD.hours.map(() => null) };
    expect(forecast({ ...base, plan: closed, people: { warm: 1, cold: 0 } }).why).toBe("never_opens");
    const none = { ...OLD, ramp: { from: 0, to: 0, days: 14 } };
    expect(forecast({ ...base, plan: none, people: { warm: 1, cold: 1 } }).why).toBe("no_budget");
    expect(forecast({ ...base, plan: none, people: { warm: 1, cold: 0 } }).why).toBeNull();
    expect(forecast({ ...base, plan: OLD, people: { warm: 0, cold: 1_000_000 } }).why).toBe("too_far");
  });

  const range = (most: number) =>
    fc.tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most })).map(([a, b]) => ({
      least: Math.min(a, b),
      most: Math.max(a, b),
    }));
  const hours = fc.option(
    fc.tuple(fc.integer({ min: 0, max: 1380 }), fc.integer({ min: 30, max: 1440 })).map(([from, length]) => ({
      from,
      to: Math.min(1440, from + length),
    })),
  );
  const plans: fc.Arbitrary<NumberPlan> = fc.record({
    hours: fc.array(hours, { minLength: 7, maxLength: 7 }),
    restsOnHolidays: fc.boolean(),
    inUseSince: fc.constantFrom("2026-01-01", "2026-11-20", "2026-12-20"),
    ramp: fc.record({
      from: fc.integer({ min: 1, max: 200 }),
      to: fc.integer({ min: 1, max: 200 }),
      days: fc.integer({ min: 1, max: 40 }),
    }),
    coldGapS: range(300),
    warmGapS: range(60),
    rest: fc.option(fc.record({ after: fc.integer({ min: 1, max: 60 }), minutes: range(40) })),
  });

  test("never goes past a day's budget or hours, and sends to all", () => {
    fc.assert(
      fc.property(
        plans,
        fc.record({ warm: fc.integer({ min: 0, max: 600 }), cold: fc.integer({ min: 0, max: 600 }) }),
        fc.integer({ min: 0, max: 7 * 86_400_000 }),
        fc.constantFrom(ZONE, "America/Manaus", "America/New_York", "Europe/Lisbon"),
        (plan, people, later, zone) => {
          const now = base.now + later;
          const { days, end, why } = forecast({ ...base, zone, now, plan, people });
          for (const { day, cold, warm, budget } of days) {
            expect(cold).toBeLessThanOrEqual(budget);
            expect(budget).toBeLessThanOrEqual(rampOn(plan, day));
            const { opens, closes } = planDay(plan, zone, day);
            if (opens === closes) expect(warm + cold).toBe(0);
          }
          if (end === null) {
            expect(why).not.toBeNull();
            return;
          }
          expect(days.reduce((sum, { warm }) => sum + warm, 0)).toBe(people.warm);
          expect(days.reduce((sum, { cold }) => sum + cold, 0)).toBe(people.cold);
          if (people.warm + people.cold === 0) return;
          expect(nextOpen(plan, zone, end)).toBe(end);
        },
      ),
      { numRuns: 100 },
    );
  });
});
