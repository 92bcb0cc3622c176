import type { Clock } from "../../domain/clock.ts";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

/** Calls back after so many milliseconds; answers how to call it off. */
export function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
