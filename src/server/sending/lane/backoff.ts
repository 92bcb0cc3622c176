import type { LaneHold } from "../../../domain/campaign.ts";
import type { Transport } from "../../transports/transport.ts";
import type { Stop } from "./deliver.ts";
import type { LaneDeps } from "./lane-deps.ts";

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
  /** The lane is over: nothing is said of it any more. */
  end(): void;
};

type Deps = Pick<LaneDeps, "clock" | "log" | "connectionId" | "after"> & {
  /** `backoff`: waits in milliseconds, the last one repeated. */
  times: Pick<LaneDeps["times"], "backoff">;
  transport: Pick<Transport, "holds">;
};

/** Whoever waits for less need not be told why. */
const SAID_MS = 10_000;
/** How long the next try may take until it has stopped as well: nothing better is known before. */
const TRY_MS = 30_000;

/** Nothing has stopped yet. A wait that people would notice is said on the screens, for as long as it lasts. */
export function laneStops({
  clock,
  times: { backoff },
  log,
  connectionId,
  after,
  transport,
}: Deps): LaneStops {
  let until = 0;
  let isFirm = false;
  let stops = 0;
  let said: LaneHold | null = null;
  let callOff = () => {};

  function say(why: LaneHold | null, ms = 0): void {
    callOff();
    callOff = why ? after(ms, () => say(null)) : () => {};
    if (why === said) return;
    const before = said;
    said = why;
    if (before) transport.holds?.(before, false);
    if (why) transport.holds?.(why, true);
  }

  /** What a human must end, the transport says itself. */
  function sayWait({ cause, retryAt }: Stop): void {
    const wait = until - clock.monotonic();
    if (wait < SAID_MS || wait === Number.POSITIVE_INFINITY) return;
    if (cause === "rate_limited") say("rate_limited", wait);
    else say("not_sending", wait + (retryAt === null ? TRY_MS : 0));
  }

  // Asked for each message: the clock is read only while there is something to wait for.
  const waits = () => until > 0 && clock.monotonic() < until;

  return {
    waits,
    until: () => until,
    stopped(stop) {
      const { cause, retryAt } = stop;
      const wait = backoff[Math.min(stops, backoff.length - 1)] ?? 0;
      stops += 1;
      log.info({ connectionId, cause }, "lane waits: the channel stopped");
      const now = clock.monotonic();
      // Of several on the wire one was told an end, and this one only that it did not go.
      if (retryAt === null && isFirm && until > now) {
        until = Math.max(until, now + wait);
        if (said) say(said, until - now);
        return;
      }
      // A restriction on new conversations belongs to the number: the device knows when another one is linked, or WhatsApp lifts it.
      isFirm = typeof retryAt === "number" && cause !== "timelocked";
      if (retryAt === "human") until = Number.POSITIVE_INFINITY;
      else if (retryAt === null) until = now + wait;
      else until = now + Math.max(0, retryAt - clock.now().getTime());
      sayWait(stop);
    },
    reached() {
      stops = 0;
      // What was on the wire beside it ends no pause.
      if (said && !waits()) say(null);
    },
    back() {
      if (isFirm) return;
      until = 0;
      say(null);
    },
    end: () => callOff(),
  };
}
