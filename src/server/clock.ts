import type { Clock } from "../domain/clock.ts";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
