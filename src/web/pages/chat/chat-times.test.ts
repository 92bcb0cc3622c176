import { expect, test } from "vitest";
import { dayName, listTime, untilTime } from "./chat-times.ts";

const ZONE = "America/Sao_Paulo";
const NOW = new Date("2026-11-20T03:30:00Z");

test.each([
  ["2026-11-20T03:05:00Z", "00:05", "Hoje"],
  ["2026-11-20T02:55:00Z", "ontem", "Ontem"],
  ["2026-11-19T03:00:00Z", "ontem", "Ontem"],
  ["2026-11-17T12:00:00Z", "17/11", "17/11/2026"],
  ["2025-12-31T23:00:00Z", "31/12/2025", "31/12/2025"],
])("%s by the account's calendar", (iso, inList, above) => {
  expect(listTime(iso, ZONE, NOW)).toBe(inList);
  expect(dayName(iso, ZONE, NOW)).toBe(above);
});

test("yesterday is the day before also where a day has 23 or 25 hours", () => {
  const ends = [
    ["2026-10-24T12:00:00Z", "2026-10-25T23:30:00Z"],
    ["2026-03-29T12:00:00Z", "2026-03-29T23:15:00Z"],
  ] as const;
  for (const [iso, now] of ends) expect(listTime(iso, "Europe/Lisbon", new Date(now))).toBe("ontem");
});

test("until when, as short as the day allows", () => {
  expect(untilTime("2026-11-20T19:50:00Z", ZONE, NOW)).toBe("16:50");
  expect(untilTime("2026-11-21T11:00:00Z", ZONE, NOW)).toBe("amanhã às 08:00");
});
