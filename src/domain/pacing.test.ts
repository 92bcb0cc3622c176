import { expect, test } from "vitest";
import { gapOf, gridAfter } from "./pacing.ts";

test("campaigns that share a connection share the largest interval @decision 13", () => {
  expect(
    gapOf(
      [
        { intervalS: 10, extraS: 0 },
        { intervalS: 60, extraS: 0 },
      ],
      0.5,
    ),
  ).toBe(60_000);
});

test("the random extra lies between zero and its bound @decision 13", () => {
  expect(gapOf([{ intervalS: 10, extraS: 5 }], 0)).toBe(10_000);
  expect(gapOf([{ intervalS: 10, extraS: 5 }], 0.999)).toBeLessThan(15_000);
});

test("sixty messages a second late by a timer's 2 ms each do not drift @decision 13", () => {
  let due = 0;
  for (let i = 0; i < 60; i++) due = gridAfter(due, due + 2, 1_000) + 1_000;
  expect(due).toBe(60_000);
});

test("after a long delay the grid moves: no burst, never closer than the gap but for a timer's delay", () => {
  const left: number[] = [];
  let due = 0;
  for (const delay of [0, 5_000, 90, 2, 101, 0, 8, 0, 3_000, 0]) {
    left.push(due + delay);
    due = gridAfter(due, due + delay, 1_000) + 1_000;
  }
  const gaps = left.slice(1).map((at, i) => at - (left[i] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(996);
});
