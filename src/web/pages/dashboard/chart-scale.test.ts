import { expect, test } from "vitest";
import { points, roundScale } from "./chart-scale.ts";

test("a scale holds the highest value in two to four round steps", () => {
  expect(roundScale(1240)).toEqual({ top: 1500, step: 500 });
  expect(roundScale(7)).toEqual({ top: 8, step: 2 });
  expect(roundScale(1)).toEqual({ top: 2, step: 1 });
  expect(roundScale(4)).toEqual({ top: 4, step: 1 });
  expect(roundScale(999_999)).toEqual({ top: 1_000_000, step: 500_000 });
});

test("a week without messages still has a scale, of whole messages", () => {
  expect(roundScale(0)).toEqual({ top: 3, step: 1 });
});

test("points stand in the middle of their columns, the top at 0", () => {
  expect(points([0, 10], 10, 200, 100)).toBe("50 100 150 0");
});
