import type { Clock } from "../../../domain/clock.ts";

/** Counting window in ms: short, to follow a channel that slows down. */
const WINDOW_MS = 50;

export type LaneRate = { one(): void; perSecond(): number };

export function laneRate(clock: Clock): LaneRate {
  let since = clock.monotonic();
  let count = 0;
  let last = 0;
  return {
    one() {
      count += 1;
      // Reading the clock each time would be the costliest part at thousands of messages a second.
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
