import type { Clock } from "../../../domain/clock.ts";

/** Length of the windows in which messages are counted, ms: short enough to follow a channel that slows down. */
const WINDOW_MS = 50;

/** How many messages a second a lane gets rid of, by its last full window. */
export type LaneRate = { one(): void; perSecond(): number };

/** Starts at zero. */
export function laneRate(clock: Clock): LaneRate {
  let since = clock.monotonic();
  let count = 0;
  let last = 0;
  return {
    one() {
      count += 1;
      // The clock is read now and then only: at thousands of messages a second it would be the dearest part of counting.
      if (count % 8 !== 0) return;
      const now = clock.monotonic();
      if (now - since < WINDOW_MS) return;
      last = (count / (now - since)) * 1000;
      since = now;
      count = 0;
    },
    perSecond: () => last,
  };
}
