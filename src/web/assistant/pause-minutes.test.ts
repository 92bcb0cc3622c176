import { expect, test } from "vitest";
import { readPauseMinutes } from "./pause-minutes.ts";

test.each([
  ["0", 0],
  [" 45 ", 45],
  ["10080", 10_080],
  ["10.080", 10_080],
  ["10,080", 10_080],
  ["10081", null],
  ["1.5", null],
  ["1,5", null],
  ["-1", null],
  ["", null],
  ["uma hora", null],
])("%j is %j", (typed, minutes) => {
  expect(readPauseMinutes(typed)).toBe(minutes);
});
