import type { Clock } from "../../src/domain/clock.ts";

export function manualClock(start = new Date("2026-11-20T12:00:00Z")) {
  let elapsed = 0;
  let timers: { at: number; call: () => void }[] = [];
  const clock: Clock = { now: () => new Date(start.getTime() + elapsed), monotonic: () => elapsed };
  return {
    ...clock,
    after(ms: number, call: () => void): () => void {
      const timer = { at: elapsed + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    untilNext: () => (timers.length === 0 ? 0 : Math.min(...timers.map(({ at }) => at)) - elapsed),
    advance(ms: number): void {
      elapsed += ms;
      const due = timers.filter((one) => one.at <= elapsed).sort((a, b) => a.at - b.at);
      timers = timers.filter((one) => one.at > elapsed);
      for (const one of due) one.call();
    },
  };
}
