import { expect, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { laneStops } from "./lane-stops.ts";

function lab() {
  const clock = manualClock();
  const stops = laneStops(clock, [1_000, 5_000], testLog, 1);
  return {
    stops,
    clock,
    /** How long the lane waits after one more stop, in ms. */
    stop(
      cause: "not_connected" | "rate_limited" | "timelocked" | "banned",
      retryAt: number | null | "human",
    ) {
      stops.stopped({ cause, retryAt });
      return stops.until() - clock.monotonic();
    },
  };
}

test("each stop in a row is waited for longer, up to the longest, and anew once somebody was reached", () => {
  const it = lab();
  const waits = () => it.stop("not_connected", null);
  expect([waits(), waits(), waits()]).toEqual([1_000, 5_000, 5_000]);
  it.stops.reached();
  expect(waits()).toBe(1_000);
  it.clock.advance(999);
  expect(it.stops.waits()).toBe(true);
  it.clock.advance(1);
  expect(it.stops.waits()).toBe(false);
});

test("where a human must act first nothing is tried until the channel is back", () => {
  const it = lab();
  expect(it.stop("banned", "human")).toBe(Number.POSITIVE_INFINITY);
  it.clock.advance(365 * 86_400_000);
  expect(it.stops.waits()).toBe(true);
  it.stops.back();
  expect(it.stops.waits()).toBe(false);
});

test("a channel that is back is tried at once, but before the end that WhatsApp named of a pause; not that of a number's restriction", () => {
  const it = lab();
  const inAnHour = it.clock.now().getTime() + 3_600_000;
  for (const [cause, waits] of [
    ["rate_limited", true],
    ["timelocked", false],
  ] as const) {
    expect(it.stop(cause, inAnHour)).toBe(3_600_000);
    it.stops.back();
    expect(it.stops.waits(), cause).toBe(waits);
  }
});

test("an end that WhatsApp or the gateway named stands, whatever the others on the wire at that moment are told", () => {
  const it = lab();
  const inTenMinutes = it.clock.now().getTime() + 600_000;
  expect(it.stop("rate_limited", inTenMinutes)).toBe(600_000);
  expect(it.stop("not_connected", null)).toBe(600_000);
  it.stops.back();
  expect(it.stops.waits()).toBe(true);
  it.clock.advance(600_000);
  expect(it.stops.waits()).toBe(false);
  expect(it.stop("not_connected", null)).toBe(5_000);
  it.stops.back();
  expect(it.stops.waits()).toBe(false);
  expect(it.stop("rate_limited", inTenMinutes + 600_000)).toBe(600_000);
  expect(it.stop("banned", "human")).toBe(Number.POSITIVE_INFINITY);
  it.stops.back();
  expect(it.stops.waits()).toBe(false);
});
