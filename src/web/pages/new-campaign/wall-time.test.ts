import { expect, test } from "vitest";
import { meantInstant, wallNow } from "./wall-time.ts";

const now = new Date("2026-11-20T12:00:00Z");

test("a wall time means the same instant as on the server", () => {
  expect(meantInstant("2026-11-27", "08:00", "America/Sao_Paulo", now)).toEqual({
    ok: true,
    at: new Date("2026-11-27T11:00:00Z"),
  });
  expect(meantInstant("2026-11-27", "08:00", "America/Manaus", now)).toEqual({
    ok: true,
    at: new Date("2026-11-27T12:00:00Z"),
  });
  expect(meantInstant("2026-11-27", "00:15", "America/Noronha", now)).toEqual({
    ok: true,
    at: new Date("2026-11-27T02:15:00Z"),
  });
});

test("the running minute is now, the one before it has passed", () => {
  const late = new Date("2026-11-20T12:00:45Z");
  expect(meantInstant("2026-11-20", "09:00", "America/Sao_Paulo", late).ok).toBe(true);
  expect(meantInstant("2026-11-20", "08:59", "America/Sao_Paulo", late)).toEqual({
    ok: false,
    error: "campaign_schedule_past",
  });
});

test("an hour that the clocks skip does not exist, of one that they repeat the first is meant", () => {
  const spring = new Date("2027-03-01T00:00:00Z");
  expect(meantInstant("2027-03-14", "02:30", "America/New_York", spring)).toEqual({
    ok: false,
    error: "campaign_schedule_nonexistent",
  });
  expect(meantInstant("2027-11-07", "01:30", "America/New_York", spring)).toEqual({
    ok: true,
    at: new Date("2027-11-07T05:30:00Z"),
  });
});

test("what is missing, too far or no year of ours is said", () => {
  expect(meantInstant("", "08:00", "America/Sao_Paulo", now)).toMatchObject({
    error: "campaign_schedule_required",
  });
  expect(meantInstant("2026-11-27", "", "America/Sao_Paulo", now)).toMatchObject({
    error: "campaign_schedule_required",
  });
  expect(meantInstant("2027-11-27", "08:00", "America/Sao_Paulo", now)).toMatchObject({
    error: "campaign_schedule_too_far",
  });
  expect(meantInstant("275760-09-13", "08:00", "America/Sao_Paulo", now)).toMatchObject({
    error: "campaign_schedule_too_far",
  });
});

test("now in a zone fills the fields", () => {
  expect(wallNow("America/Sao_Paulo", now)).toEqual({ date: "2026-11-20", time: "09:00" });
});
