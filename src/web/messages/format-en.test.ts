import { expect, test, vi } from "vitest";
import {
  counted,
  formatAt,
  formatBytes,
  formatDateTime,
  formatDecimal,
  formatDuration,
  formatLongDay,
  formatNear,
  formatNumber,
  formatSentence,
  formatShare,
  formatShortDate,
  typedDecimal,
  zoneName,
} from "./format.ts";

vi.mock("./locale.ts", () => import("./en/locale.ts"));

const ZONE = "America/Sao_Paulo";
const NOW = new Date("2026-11-19T17:00:00Z");

test("numbers are written as in English, and agree with what they count", () => {
  expect(formatNumber(1250)).toBe("1,250");
  expect(typedDecimal(0.25)).toBe("0.25");
  expect(formatShare(0.941)).toBe("94.1%");
  expect(formatDecimal(0.84)).toBe("0.8");
  expect(formatBytes(2_400_000)).toBe("2.4 MB");
  expect([0, 1, 2, 1250].map((count) => counted(count, "contact", "contacts"))).toEqual([
    "0 contacts",
    "1 contact",
    "2 contacts",
    "1,250 contacts",
  ]);
});

test("English dates name the month", () => {
  const evening = "2026-11-20T02:30:00Z";
  expect(formatDateTime(evening, ZONE)).toBe("19 Nov 2026, 23:30");
  expect(formatShortDate(evening, ZONE)).toBe("19 Nov");
  expect(formatSentence("2026-11-27T11:00:00Z", ZONE)).toBe("Friday, 27 Nov, at 08:00");
  expect(formatLongDay(NOW, ZONE)).toBe("Thursday, 19 November 2026");
  expect(formatNear("2026-11-19T22:18:00Z", ZONE, NOW)).toBe("today at 19:18");
  expect(formatNear("2026-11-20T11:00:00Z", ZONE, NOW)).toBe("tomorrow at 08:00");
  expect(formatAt("2026-11-19T18:52:00Z", ZONE, NOW)).toBe("at 15:52");
  expect(formatAt("2026-11-18T18:52:00Z", ZONE, NOW)).toBe("yesterday at 15:52");
  expect(formatAt("2026-11-10T18:52:00Z", ZONE, NOW)).toBe("on 10 Nov 2026 at 15:52");
});

test("spans of time and zones have English names", () => {
  expect(formatDuration(8 * 3600 + 600)).toBe("about 8 hours");
  expect(formatDuration(5 * 86_400)).toBe("about 5 days");
  expect(zoneName(ZONE)).toBe("Brasilia Time");
});
