import type { WASocket } from "baileys";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { systemClock } from "../../base/clock.ts";
import type { StateReport } from "../transport.ts";
import { Screen } from "./screen.ts";
import { Timelocks } from "./timelock.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-21T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);

/** A connected device and its reports. */
function connectedScreen() {
  const said: StateReport[] = [];
  const screen = new Screen({
    reporter: {
      say: (report) => said.push(report),
      flush: async () => undefined,
      close: async () => undefined,
    },
    clock: systemClock,
    deviceId: "5511900000001",
    qrMs: null,
  });
  screen.connected("pairing", "5511900000001:7@s.whatsapp.net");
  return { screen, shown: () => said.at(-1) };
}

test("F18 a restriction is gone from the screen when it ends, and one that is over is never on it", () => {
  const { screen, shown } = connectedScreen();
  const until = inHours(1);
  screen.timelock({ until, known: true });
  expect(shown()).toMatchObject({ state: "connected", cause: "timelocked", causeUntil: until });
  vi.advanceTimersByTime(HOUR);
  expect(shown()).toMatchObject({ state: "connected", cause: null });
  screen.timelock({ until: inHours(-1), known: true });
  expect(shown()).toMatchObject({ state: "connected", cause: null });
});

test("failing images are shown only while one waits and is tried", () => {
  const { screen, shown } = connectedScreen();
  screen.uploadsRefused(true);
  vi.advanceTimersByTime(10 * 60_000);
  screen.uploadsRefused(true);
  vi.advanceTimersByTime(10 * 60_000);
  expect(shown()).toMatchObject({ state: "connected", cause: "upload_failed" });
  vi.advanceTimersByTime(5 * 60_000);
  expect(shown()).toMatchObject({ state: "connected", cause: null });
});

test("what its lane waits for is said while it is connected, again when it comes back, and behind what says more", () => {
  const { screen, shown } = connectedScreen();
  screen.holds("not_sending", true);
  expect(shown()).toMatchObject({ state: "connected", cause: "not_sending" });
  screen.uploadsRefused(true);
  expect(shown()).toMatchObject({ cause: "upload_failed" });
  screen.holds("rate_limited", true);
  screen.holds("not_sending", false);
  expect(shown()).toMatchObject({ cause: "rate_limited" });
  screen.waiting("network");
  screen.holds("catching_up", true);
  expect(shown()).toMatchObject({ state: "connecting", cause: "network" });
  screen.connected("pairing", "5511900000001:7@s.whatsapp.net");
  expect(shown()).toMatchObject({ state: "connected", cause: "catching_up" });
  screen.timelock({ until: inHours(1), known: true });
  expect(shown()).toMatchObject({ cause: "timelocked" });
  screen.timelock(null);
  screen.holds("catching_up", false);
  screen.holds("rate_limited", false);
  expect(shown()).toMatchObject({ cause: "upload_failed" });
});

test("F18 a restriction reported without an end keeps its known end", () => {
  const { screen, shown } = connectedScreen();
  const timelocks = new Timelocks({ screen, clock: systemClock, log: testLog });
  const until = inHours(1);
  const restricted = { isActive: true };
  timelocks.reported({} as WASocket, { ...restricted, timeEnforcementEnds: until });
  timelocks.reported({} as WASocket, { ...restricted });
  expect(shown()).toMatchObject({ cause: "timelocked", causeUntil: until });
  expect(screen.restriction()?.until).toEqual(until);
});
