import { vi } from "vitest";

/** Until the test's end the page's time passes by `vi.advanceTimersByTimeAsync` and `inTime` alone. */
export function holdClock(now?: number | Date): void {
  const toFake = ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "Date"] as const;
  vi.useFakeTimers({ toFake: [...toFake], ...(now !== undefined && { now }) });
}

/** `expect.poll` for a held clock, which each check moves by `interval` ms: drawing needs timers. */
export const inTime = (check: () => void, interval = 50) => vi.waitFor(check, { timeout: 30_000, interval });
