import { expect, test } from "vitest";
import { markedDays, namedDays, places, roundScale, sumOf } from "./chart-scale.ts";

test("a scale holds the highest value in two to four round steps", () => {
  expect(roundScale(1240)).toEqual({ top: 1500, step: 500 });
  expect(roundScale(7)).toEqual({ top: 8, step: 2 });
  expect(roundScale(1)).toEqual({ top: 2, step: 1 });
  expect(roundScale(4)).toEqual({ top: 4, step: 1 });
  expect(roundScale(999_999)).toEqual({ top: 1_000_000, step: 500_000 });
});

test("a week without messages still has a scale, of whole messages", () => {
  expect(roundScale(0)).toEqual({ top: 3, step: 1 });
  expect(roundScale(-2)).toEqual({ top: 3, step: 1 });
});

test("points stand in the middle of their columns, the top at 0, and never below the axis", () => {
  expect(places([0, 10, -1], 10, 300, 100)).toEqual([
    { x: 50, y: 100 },
    { x: 150, y: 0 },
    { x: 250, y: 100 },
  ]);
});

test("at most seven days are named, evenly apart, and always the last", () => {
  expect(namedDays(7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(namedDays(30)).toEqual([4, 9, 14, 19, 24, 29]);
  expect(namedDays(90)).toEqual([11, 24, 37, 50, 63, 76, 89]);
});

test("a lone day of a long span has a point of its own; in a short one each has", () => {
  const long = Array.from({ length: 30 }, () => 0);
  expect(markedDays([0, 5, 0])).toEqual([0, 1, 2]);
  expect(markedDays(long)).toEqual([]);
  expect(markedDays(long.with(10, 4).with(20, 1).with(21, 1).with(29, 3))).toEqual([10, 29]);
});

test("sums are those of the days", () => {
  const day = { sent: 3, delivered: 2, confirmed: 1 };
  expect(sumOf([day, day])).toEqual({ sent: 6, delivered: 4, confirmed: 2 });
  expect(sumOf([])).toEqual({ sent: 0, delivered: 0, confirmed: 0 });
});
