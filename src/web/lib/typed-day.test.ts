import { expect, test } from "vitest";
import { readDay, readTime, writtenDay } from "./typed-day.ts";

test.each([
  ["27/11/2026", "2026-11-27"],
  [" 7/1/2027 ", "2027-01-07"],
  ["27.11.2026", "2026-11-27"],
  ["27-11-26", "2026-11-27"],
  ["27112026", "2026-11-27"],
  ["2026-11-27", "2026-11-27"],
  ["29/02/2028", "2028-02-29"],
  ["31/02/2026", null],
  ["29/02/2027", null],
  ["11/27/2026", null],
  ["27/11", null],
  ["27/11/20", "2020-11-27"],
  ["27/11/202", null],
  ["00/11/2026", null],
  ["amanhã", null],
  ["", null],
])("26.20 the day typed as «%s» is %s", (typed, day) => expect(readDay(typed)).toBe(day));

test.each([
  ["08:00", "08:00"],
  ["8", "08:00"],
  ["8h", "08:00"],
  ["8h30", "08:30"],
  ["0830", "08:30"],
  ["8:30", "08:30"],
  ["23:59", "23:59"],
  ["08:00:00", "08:00"],
  ["8:30 pm", "20:30"],
  ["12am", "00:00"],
  ["12 pm", "12:00"],
  ["13pm", null],
  ["24:00", null],
  ["8:60", null],
  ["830", "08:30"],
  ["oito", null],
  ["", null],
])("26.20 the time typed as «%s» is %s", (typed, time) => expect(readTime(typed)).toBe(time));

test("26.20 a day is written as the account's language does, and what is none stays as it was typed", () => {
  expect(writtenDay("2026-11-27")).toBe("27/11/2026");
  expect(writtenDay("31/02/2026")).toBe("31/02/2026");
  expect(writtenDay("")).toBe("");
});
