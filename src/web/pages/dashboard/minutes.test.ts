import { expect, test } from "vitest";
import { formatMinutes } from "./minutes.ts";

test.each([
  ["none", null, "—"],
  ["all at one instant", 0, "< 0,1"],
  ["a second", 1 / 60, "< 0,1"],
  ["just below what rounds up", 0.0499, "< 0,1"],
  ["three seconds", 0.05, "0,1"],
  ["48 seconds", 0.8, "0,8"],
  ["a minute", 1, "1,0"],
  ["long ones", 1234.56, "1.234,6"],
])("an interval of %s", (_, minutes, shown) => {
  expect(formatMinutes(minutes)).toBe(shown);
});
