import { describe, expect, test } from "vitest";
import { dayInZone, daysUntil, scheduledInstant } from "./schedule.ts";

const now = new Date("2026-11-19T17:05:30Z");
const SP = "America/Sao_Paulo";

function instant(wall: string, zone = SP, at = now): string {
  const result = scheduledInstant(wall, zone, at);
  return result.ok ? result.at.toISOString() : result.error;
}

describe("the four zones of Brazil, 08:00 on 27 November 2026", () => {
  test.each([
    ["America/Noronha", "2026-11-27T10:00:00.000Z"],
    ["America/Sao_Paulo", "2026-11-27T11:00:00.000Z"],
    ["America/Manaus", "2026-11-27T12:00:00.000Z"],
    ["America/Cuiaba", "2026-11-27T12:00:00.000Z"],
    ["America/Rio_Branco", "2026-11-27T13:00:00.000Z"],
  ])("F21 S08 S09 %s", (zone, expected) => expect(instant("2026-11-27T08:00", zone)).toBe(expected));
});

describe("when", () => {
  test.each([
    ["S01 past", "2026-11-19T14:04", "campaign_schedule_past"],
    ["S01 long past", "1999-01-01T00:00", "campaign_schedule_past"],
    ["S02 now: the running minute", "2026-11-19T14:05", "2026-11-19T17:05:00.000Z"],
    ["S03 one minute ahead, exact", "2026-11-19T14:06", "2026-11-19T17:06:00.000Z"],
    ["S04 29 February of a common year", "2027-02-29T08:00", "campaign_schedule_invalid"],
    ["S05 year 275760", "275760-09-13T00:00", "campaign_schedule_too_far"],
    ["S06 one year ahead", "2027-11-19T14:05", "2027-11-19T17:05:00.000Z"],
    ["S06 more than a year ahead", "2027-11-19T14:06", "campaign_schedule_too_far"],
    ["S11 date without time", "2026-11-27", "campaign_schedule_required"],
    ["S11 date with an empty time", "2026-11-27T", "campaign_schedule_required"],
    ["S11 time without date", "T08:00", "campaign_schedule_required"],
    ["S11 nothing", "", "campaign_schedule_required"],
    ["S12 month 13", "2026-13-40T08:00", "campaign_schedule_invalid"],
    ["S12 hour 24", "2026-11-27T24:00", "campaign_schedule_invalid"],
    ["S12 minute 60", "2026-11-27T08:60", "campaign_schedule_invalid"],
    ["S12 an instant instead of a wall time", "2026-11-27T08:00Z", "campaign_schedule_form"],
    ["S12 seconds", "2026-11-27T08:00:30", "campaign_schedule_form"],
    ["S12 words", "27/11/2026T8h00", "campaign_schedule_form"],
    ["seconds are taken when they are zero", "2026-11-27T08:00:00", "2026-11-27T11:00:00.000Z"],
  ])("%s", (_, wall, expected) => expect(instant(wall)).toBe(expected));

  test.each(["", "+03:00", "America/Sao Paulo", "Brasil", "../etc"])("S10 unknown zone «%s»", (zone) => {
    expect(instant("2026-11-27T08:00", zone)).toBe("campaign_schedule_zone");
  });
});

describe("F21 clocks that change", () => {
  const in2018 = new Date("2018-02-01T00:00:00Z");
  test.each([
    ["S07 skipped in São Paulo", "2018-11-04T00:30", SP, in2018, "campaign_schedule_nonexistent"],
    ["S07 just after it", "2018-11-04T01:00", SP, in2018, "2018-11-04T03:00:00.000Z"],
    ["S07 repeated in São Paulo: the first", "2018-02-17T23:30", SP, in2018, "2018-02-18T01:30:00.000Z"],
    ["S07 skipped in Lisbon", "2027-03-28T01:30", "Europe/Lisbon", now, "campaign_schedule_nonexistent"],
    [
      "S07 repeated in Lisbon: the first",
      "2027-10-31T01:30",
      "Europe/Lisbon",
      now,
      "2027-10-31T00:30:00.000Z",
    ],
  ])("%s", (_, wall, zone, at, expected) => expect(instant(wall, zone, at)).toBe(expected));
});

test("days are those of the zone", () => {
  const late = new Date("2026-11-20T02:30:00Z");
  expect(dayInZone(late, SP)).toBe("2026-11-19");
  expect(dayInZone(late, "America/Noronha")).toBe("2026-11-20");
  expect(daysUntil("2026-03-02", 4)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
});
