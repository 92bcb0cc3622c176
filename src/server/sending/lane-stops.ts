import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Stop } from "./deliver.ts";

/** How long a lane waits after its channel stopped. Times are monotonic milliseconds. */
export type LaneStops = {
  /** Nothing is sent now. */
  waits(): boolean;
  /** Until when nothing is sent: infinite where a human must act first. */
  until(): number;
  /** The channel stopped: the lane waits for as long as it said, or ever longer. */
  stopped(stop: Stop): void;
  /** Somebody was reached: the next stop waits as long as the first. */
  reached(): void;
  /** A channel that came back is tried at once, for the wait belonged to the time when it was gone; unless WhatsApp itself named its end. */
  back(): void;
};

/** Nothing has stopped yet. `backoff`: waits in milliseconds, the last one repeated. */
export function laneStops(
  clock: Clock,
  backoff: readonly number[],
  log: Logger,
  connectionId: number,
): LaneStops {
  let until = 0;
  let isFirm = false;
  let stops = 0;

  return {
    // Asked for each message: the clock is read only while there is something to wait for.
    waits: () => until > 0 && clock.monotonic() < until,
    until: () => until,
    stopped({ cause, retryAt }) {
      const wait = backoff[Math.min(stops, backoff.length - 1)] ?? 0;
      stops += 1;
      log.info({ connectionId, cause }, "lane waits: the channel stopped");
      const now = clock.monotonic();
      // Of several on the wire one was told an end, and this one only that it did not go.
      if (retryAt === null && isFirm && until > now) {
        until = Math.max(until, now + wait);
        return;
      }
      // A restriction on new conversations belongs to the number: the device knows when another one is linked, or WhatsApp lifts it.
      isFirm = typeof retryAt === "number" && cause !== "timelocked";
      if (retryAt === "human") until = Number.POSITIVE_INFINITY;
      else if (retryAt === null) until = now + wait;
      else until = now + Math.max(0, retryAt - clock.now().getTime());
    },
    reached() {
      stops = 0;
    },
    back() {
      if (!isFirm) until = 0;
    },
  };
}
