import { expect, test, vi } from "vitest";
import { readDay, writtenDay } from "./typed-day.ts";

vi.mock("../messages/locale.ts", () => import("../messages/en/locale.ts"));

test.each([
  ["27 Nov 2026", "2026-11-27"],
  ["27 November 2026", "2026-11-27"],
  ["Nov 27, 2026", "2026-11-27"],
  ["september 1st 2027", "2027-09-01"],
  ["1 Sept 2027", "2027-09-01"],
  ["2026-11-27", "2026-11-27"],
  ["03/04/2026", null],
  ["31 Feb 2026", null],
  ["27 Foo 2026", null],
])("26.20 in English the day typed as «%s» is %s", (typed, day) => expect(readDay(typed)).toBe(day));

test("26.20 in English what is written can be typed", () => {
  for (const day of ["2026-11-27", "2027-09-01", "2027-06-05"]) expect(readDay(writtenDay(day))).toBe(day);
});
