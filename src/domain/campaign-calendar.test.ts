import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clashesOf, drawn, layOut, MONTH, type Span, shiftMonth, weeksOf } from "./campaign-calendar.ts";

const november = weeksOf("2026-11");
const day = (nth: number) => new Date(Date.UTC(2026, 9, 25 + nth)).toISOString().slice(0, 10);
const spans = fc
  .array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 12 })
  .map((all) => all.map(([from, length], id): Span => ({ id, first: day(from), last: day(from + length) })));
const holds = ({ first, last }: Span, on: string) => first <= on && on <= last;

test("a month's weeks begin on Sunday and hold each of its days once", () => {
  expect(november.map(([sunday]) => sunday)).toEqual([
    "2026-11-01",
    "2026-11-08",
    "2026-11-15",
    "2026-11-22",
    "2026-11-29",
  ]);
  expect(november.at(-1)?.at(-1)).toBe("2026-12-05");
  expect(weeksOf("2026-02").flat()[0]).toBe("2026-02-01");
  fc.assert(
    fc.property(fc.integer({ min: 2000, max: 2098 }), fc.integer({ min: 1, max: 12 }), (year, nth) => {
      const month = `${year}-${String(nth).padStart(2, "0")}`;
      const days = weeksOf(month).flat();
      const inside = days.filter((each) => each.startsWith(month));
      expect(days.length % 7).toBe(0);
      expect(new Date(`${days[0]}T00:00Z`).getUTCDay()).toBe(0);
      expect(inside).toHaveLength(new Date(Date.UTC(year, nth, 0)).getUTCDate());
      expect(days.length - inside.length).toBeLessThan(14);
      expect(shiftMonth(shiftMonth(month, 1), -1)).toBe(month);
    }),
  );
});

test("months are moved over years, and only real ones are read", () => {
  expect([shiftMonth("2026-12", 1), shiftMonth("2026-01", -1)]).toEqual(["2027-01", "2025-12"]);
  expect(["2026-11", "2026-13", "2026-00", "1999-01", "2026-1"].map((each) => MONTH.test(each))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("without a last day a campaign is drawn to today, or as far as it can be predicted", () => {
  const one = { id: 1, first: "2026-11-10", last: null };
  const last = (why: "paused" | "too_far", first = one.first) =>
    drawn({ ...one, first, why }, "2026-11-20", "2026-12-05").last;
  expect([last("paused"), last("too_far"), last("paused", "2026-11-25")]).toEqual([
    "2026-11-20",
    "2026-12-05",
    "2026-11-25",
  ]);
  expect(drawn({ ...one, last: "2026-11-12", why: null }, "2026-11-20", "2026-12-05").last).toBe(
    "2026-11-12",
  );
});

describe("bars", () => {
  test("a campaign over a week's end is cut there, and keeps a lane of its own", () => {
    const weeks = layOut(
      november,
      [
        { id: 1, first: "2026-11-26", last: "2026-11-28" },
        { id: 2, first: "2026-11-23", last: "2026-12-02" },
      ],
      3,
    );
    expect(weeks[3]?.segments).toEqual([
      { id: 2, column: 1, days: 6, lane: 0, begins: true, ends: false },
      { id: 1, column: 4, days: 3, lane: 1, begins: true, ends: true },
    ]);
    expect(weeks[4]?.segments).toEqual([{ id: 2, column: 0, days: 4, lane: 0, begins: false, ends: true }]);
    expect(weeks[0]?.segments).toEqual([]);
  });

  test("what finds no lane is counted on its days", () => {
    const all = [1, 2, 3].map((id) => ({ id, first: "2026-11-02", last: "2026-11-03" }));
    const [week] = layOut(november, all, 2);
    expect(week?.segments.map(({ id }) => id)).toEqual([1, 2]);
    expect(week?.hidden).toEqual([0, 1, 1, 0, 0, 0, 0]);
  });

  test("never overlap, and every day of every campaign is drawn or counted", () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 4 }), (all, lanes) => {
        for (const { days, segments, hidden } of layOut(november, all, lanes)) {
          const cells = segments.flatMap(({ column, days: length, lane }) =>
            Array.from({ length }, (_, at) => `${lane} ${column + at}`),
          );
          expect(new Set(cells).size).toBe(cells.length);
          for (const [at, on] of days.entries()) {
            const shown = segments.filter(({ column, days: length }) => column <= at && at < column + length);
            expect(shown.length + (hidden[at] ?? 0)).toBe(all.filter((span) => holds(span, on)).length);
            expect(shown.every(({ lane }) => lane < lanes)).toBe(true);
          }
        }
      }),
    );
  });
});

describe("clashes", () => {
  test("name the campaigns in the order of their beginning, and the days that they share", () => {
    const all = [
      { id: 3, first: "2026-11-26", last: "2026-11-30" },
      { id: 1, first: "2026-11-21", last: "2026-11-28" },
      { id: 2, first: "2026-12-03", last: "2026-12-04" },
    ];
    expect(clashesOf(all)).toEqual([{ from: "2026-11-26", to: "2026-11-28", ids: [1, 3] }]);
    expect(clashesOf([])).toEqual([]);
    expect(clashesOf(all.slice(1))).toEqual([]);
  });

  test("hold exactly the campaigns that share a day with another one, each once", () => {
    fc.assert(
      fc.property(spans, (all) => {
        const clashes = clashesOf(all);
        const shares = (span: Span) =>
          all.some((other) => other.id !== span.id && span.first <= other.last && other.first <= span.last);
        expect(clashes.flatMap(({ ids }) => ids).toSorted((a, b) => a - b)).toEqual(
          all.filter(shares).map(({ id }) => id),
        );
        for (const { from, to, ids } of clashes) {
          const on = (each: string) => all.filter((span) => ids.includes(span.id) && holds(span, each));
          expect(on(from).length).toBeGreaterThan(1);
          expect(on(to).length).toBeGreaterThan(1);
          const days = Array.from({ length: 90 }, (_, nth) => day(nth));
          const shared = days.filter((each) => on(each).length > 1);
          expect([shared[0], shared.at(-1)]).toEqual([from, to]);
        }
      }),
    );
  });
});
