import { expect, test } from "vitest";
import { dayIn, daysBefore, fullDay, longDay, shortDay } from "./calendar-day.ts";

test("a calendar day reads the same wherever the browser is", () => {
  expect([shortDay("2026-11-16"), longDay("2026-11-16"), fullDay("2026-11-16")]).toEqual([
    "16/11",
    "seg., 16/11",
    "16/11/2026",
  ]);
});

test("the day is that of the zone, and days before it cross months and leap days", () => {
  expect(dayIn("America/Sao_Paulo", new Date("2026-11-20T02:30:00Z"))).toBe("2026-11-19");
  expect(dayIn("America/Noronha", new Date("2026-11-20T02:30:00Z"))).toBe("2026-11-20");
  expect([daysBefore("2028-03-01", 1), daysBefore("2026-01-01", 30)]).toEqual(["2028-02-29", "2025-12-02"]);
});
