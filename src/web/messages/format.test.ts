import { expect, test } from "vitest";
import { ownPath } from "../lib/own-path.ts";
import {
  counted,
  formatAt,
  formatBytes,
  formatCountdown,
  formatDate,
  formatDateTime,
  formatDecimal,
  formatDuration,
  formatLongDay,
  formatNear,
  formatNumber,
  formatSentence,
  formatShare,
  initial,
  typedDecimal,
  zoneName,
} from "./format.ts";
import { localeText } from "./locale.ts";

const ZONE = "America/Sao_Paulo";
const NOW = new Date("2026-11-19T17:00:00Z");

test("numbers are written as in Brazil, and nothing as a dash", () => {
  expect([typedDecimal(0.25), typedDecimal(0)]).toEqual(["0,25", "0"]);
  expect(formatNumber(1250)).toBe("1.250");
  expect(formatNumber(null)).toBe("—");
  expect(formatShare(0.941)).toBe("94,1%");
  expect(formatShare(null)).toBe("—");
  expect(formatDecimal(0.84)).toBe("0,8");
  expect(formatBytes(184_320)).toBe("184 kB");
  expect(formatBytes(2_400_000)).toBe("2,4 MB");
  expect(counted(1, "contato", "contatos")).toBe("1 contato");
  expect(counted(1250, "contato", "contatos")).toBe("1.250 contatos");
});

test("dates are those of the account's zone, not of the computer's", () => {
  const evening = "2026-11-20T02:30:00Z";
  expect(formatDate(evening, ZONE)).toBe("19/11/2026");
  expect(formatDateTime(evening, ZONE)).toBe("19/11/2026 23:30");
  expect(formatDateTime(evening, "America/Rio_Branco")).toBe("19/11/2026 21:30");
  expect(formatSentence("2026-11-27T11:00:00Z", ZONE)).toBe("sexta-feira, 27/11, às 08:00");
  expect(formatLongDay(NOW, ZONE)).toBe("Quinta-feira, 19 de novembro de 2026");
});

test("near days go by name", () => {
  expect(formatNear("2026-11-19T22:18:00Z", ZONE, NOW)).toBe("hoje às 19:18");
  expect(formatNear("2026-11-18T12:30:00Z", ZONE, NOW)).toBe("ontem às 09:30");
  expect(formatNear("2026-11-20T11:00:00Z", ZONE, NOW)).toBe("amanhã às 08:00");
  expect(formatNear("2026-11-25T11:00:00Z", ZONE, NOW)).toBe("25/11/2026 08:00");
  expect(formatAt("2026-11-19T18:52:00Z", ZONE, NOW)).toBe("às 15:52");
  expect(formatAt("2026-11-18T18:52:00Z", ZONE, NOW)).toBe("ontem às 15:52");
  expect(formatAt("2026-11-10T18:52:00Z", ZONE, NOW)).toBe("em 10/11/2026 às 15:52");
});

test("spans of time are said as people say them", () => {
  expect(formatDuration(45)).toBe("45 s");
  expect(formatDuration(9600)).toBe("2 h 40 min");
  expect(formatDuration(3 * 3600)).toBe("3 h");
  expect(formatDuration(8 * 3600 + 600)).toBe("cerca de 8 horas");
  expect(formatDuration(5 * 86_400)).toBe("cerca de 5 dias");
  expect(formatCountdown(42)).toBe("0:42");
  expect(formatCountdown(158)).toBe("2:38");
});

test("a zone has a name, a person a first letter", () => {
  expect(zoneName(ZONE)).toBe("Horário de Brasília");
  expect(localeText.zoneInSentence(zoneName(ZONE))).toBe("horário de Brasília");
  // What a browser that hides its location reports.
  expect(localeText.zoneInSentence(zoneName("UTC"))).toMatch(/^GMT/);
  expect(initial("ótica")).toBe("Ó");
  expect(initial("  ")).toBe("?");
});

test("a way back is a path of ours", () => {
  expect(ownPath("/contacts?x=1")).toBe("/contacts?x=1");
  for (const other of [
    "//exemplo.com",
    "/\\exemplo.com",
    "https://exemplo.com",
    "javascript:alert(1)",
    "",
    7,
  ])
    expect(ownPath(other)).toBeUndefined();
});
