import { expect, test } from "vitest";
import type { Day } from "../sending/sending.ts";
import { attemptsOf, chart, difference, growth, intervalOf, rateOf, windows } from "./figures.ts";

const TODAY = "2026-11-19";
const day = (date: string, over: Partial<Day> = {}): Day => ({
  day: date,
  accepted: 0,
  failed: 0,
  uncertain: 0,
  confirmed: 0,
  gapS: 0,
  gaps: 0,
  ...over,
});

test("the windows are 30 days each, today included, and touch without overlap @spec 9.5 @decision 14", () => {
  const days = ["2026-09-20", "2026-09-21", "2026-10-20", "2026-10-21", "2026-11-19", "2026-11-20"].map(
    (date, i) => day(date, { accepted: 10 ** i }),
  );
  const { last, before, all } = windows(days, TODAY);
  expect(last.accepted).toBe(11_000);
  expect(before.accepted).toBe(110);
  expect(all.accepted).toBe(111_111);
});

test.each([
  ["more", 112, 100, 0.12],
  ["less", 50, 100, -0.5],
  ["nothing now", 0, 100, -1],
  ["nothing before", 5, 0, null],
  ["less than nothing before: a doubt was taken back", 5, -1, null],
  ["less than nothing now", -1, 10, -1],
  ["unknown now", null, 5, null],
  ["unknown before", 5, null, null],
])("growth: %s", (_, now, before, expected) => {
  const change = growth(now, before);
  if (expected === null) expect(change).toBeNull();
  else expect(change).toBeCloseTo(expected);
});

test("a rate's change is the difference of two rates, or unknown", () => {
  expect(difference(0.94, 0.96)).toBeCloseTo(-0.02);
  expect(difference(0, 0.5)).toBe(-0.5);
  expect(difference(null, 0.5)).toBeNull();
  expect(difference(0.5, null)).toBeNull();
});

test("attempts, rate and interval of a day", () => {
  const one = day(TODAY, { accepted: 90, failed: 8, uncertain: 2, gapS: 5340, gaps: 89 });
  expect([attemptsOf(one), rateOf(one), intervalOf(one)]).toEqual([100, 0.9, 1]);
  expect(rateOf(day(TODAY, { accepted: -1, failed: 2 }))).toBe(0);
  expect([rateOf(day(TODAY)), intervalOf(day(TODAY, { accepted: 1 }))]).toEqual([null, null]);
});

test("the chart has seven days that end today, with zeros where nothing was sent @spec 2.32,9.5 @decision 11", () => {
  const points = chart(
    [day("2026-11-12", { accepted: 9 }), day("2026-11-16", { accepted: 5, failed: 1, confirmed: 4 })],
    TODAY,
    7,
  );
  expect(points.map((point) => point.day)).toEqual([
    "2026-11-13",
    "2026-11-14",
    "2026-11-15",
    "2026-11-16",
    "2026-11-17",
    "2026-11-18",
    "2026-11-19",
  ]);
  expect(points[3]).toEqual({ day: "2026-11-16", sent: 6, delivered: 5, confirmed: 4 });
  expect(points[6]).toEqual({ day: TODAY, sent: 0, delivered: 0, confirmed: 0 });
});
