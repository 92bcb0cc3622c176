import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import type { StopCause } from "../../transports/transport.ts";
import { Backoff } from "./backoff.ts";

function lab(backoff = [1_000, 5_000]) {
  const clock = manualClock();
  const said = new Set<string>();
  const stops = new Backoff({
    clock,
    after: clock.after,
    log: testLog,
    connectionId: 1,
    times: { backoff },
    transport: { holds: (why, now) => void (now ? said.add(why) : said.delete(why)) },
  });
  return {
    stops,
    clock,
    said: () => [...said],
    stop(cause: StopCause, retryAt: number | null | "human") {
      stops.stopped({ cause, retryAt });
      return stops.until() - clock.monotonic();
    },
  };
}

test("each consecutive stop waits longer up to the longest; a success resets this", () => {
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
  it.stops.onReady();
  expect(it.stops.waits()).toBe(false);
});

test("a returned channel is tried at once unless WhatsApp named the pause's end; a restriction does not count", () => {
  const it = lab();
  const inAnHour = it.clock.now().getTime() + 3_600_000;
  for (const [cause, waits] of [
    ["rate_limited", true],
    ["timelocked", false],
  ] as const) {
    expect(it.stop(cause, inAnHour)).toBe(3_600_000);
    it.stops.onReady();
    expect(it.stops.waits(), cause).toBe(waits);
  }
});

test("an end named by WhatsApp or a gateway stands, independent of other messages in flight", () => {
  const it = lab();
  const inTenMinutes = it.clock.now().getTime() + 600_000;
  expect(it.stop("rate_limited", inTenMinutes)).toBe(600_000);
  expect(it.stop("not_connected", null)).toBe(600_000);
  it.stops.onReady();
  expect(it.stops.waits()).toBe(true);
  it.clock.advance(600_000);
  expect(it.stops.waits()).toBe(false);
  expect(it.stop("not_connected", null)).toBe(5_000);
  it.stops.onReady();
  expect(it.stops.waits()).toBe(false);
  expect(it.stop("rate_limited", inTenMinutes + 600_000)).toBe(600_000);
  expect(it.stop("banned", "human")).toBe(Number.POSITIVE_INFINITY);
  it.stops.onReady();
  expect(it.stops.waits()).toBe(false);
});

test("a requested pause is shown until its end, despite successes or reconnects", () => {
  const it = lab();
  it.stop("rate_limited", it.clock.now().getTime() + 5_000);
  expect(it.said()).toEqual([]);
  it.stop("rate_limited", it.clock.now().getTime() + 60_000);
  expect(it.said()).toEqual(["rate_limited"]);
  it.stops.reached();
  it.stops.onReady();
  it.clock.advance(59_999);
  expect(it.said()).toEqual(["rate_limited"]);
  it.clock.advance(1);
  expect(it.said()).toEqual([]);
});

test("a long wait is shown through further tries until a success, a reconnect or the end", () => {
  const it = lab([1_000, 5_000, 20_000]);
  const twice = () => [it.stop("lookup_failed", null), it.stop("lookup_failed", null)];
  twice();
  expect(it.said()).toEqual([]);
  const stuck = () => {
    it.stop("lookup_failed", null);
    expect(it.said()).toEqual(["not_sending"]);
    it.clock.advance(49_999);
    expect(it.said()).toEqual(["not_sending"]);
  };
  stuck();
  stuck();
  it.stops.reached();
  expect(it.said()).toEqual([]);
  twice();
  stuck();
  it.stops.onReady();
  expect(it.said()).toEqual([]);
  stuck();
  it.clock.advance(1);
  expect(it.said()).toEqual([]);
});

test("what only a human ends is not said here, and of a lane that is over nothing more", () => {
  const it = lab();
  it.stop("banned", "human");
  expect(it.said()).toEqual([]);
  it.stops.onReady();
  it.stop("timelocked", it.clock.now().getTime() + 300_000);
  expect(it.said()).toEqual(["not_sending"]);
  it.stops.close();
  it.clock.advance(300_000);
  expect(it.said()).toEqual(["not_sending"]);
});
