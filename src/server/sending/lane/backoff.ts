import type { LaneHold } from "../../../domain/campaign.ts";
import type { Transport } from "../../transports/transport.ts";
import type { Stop } from "./deliver.ts";
import type { LaneDeps } from "./lane-deps.ts";

/** Backoff after the channel stopped; times are monotonic ms. */
export type LaneStops = {
  waits(): boolean;
  until(): number;
  stopped(stop: Stop): void;
  reached(): void;
  /** Retries at once, since the wait belonged to the outage, unless WhatsApp named its end. */
  back(): void;
  end(): void;
};

type Deps = Pick<LaneDeps, "clock" | "log" | "connectionId" | "after"> & {
  times: Pick<LaneDeps["times"], "backoff">;
  transport: Pick<Transport, "holds">;
};

const SAID_MS = 10_000;
const TRY_MS = 30_000;

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

  function sayWait({ cause, retryAt }: Stop): void {
    const wait = until - clock.monotonic();
    if (wait < SAID_MS || wait === Number.POSITIVE_INFINITY) return;
    if (cause === "rate_limited") say("rate_limited", wait);
    else say("not_sending", wait + (retryAt === null ? TRY_MS : 0));
  }

  // Called per message: reads the clock only during a wait.
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
      // Of several in flight one stop had an end and this one has none: keep it.
      if (retryAt === null && isFirm && until > now) {
        until = Math.max(until, now + wait);
        if (said) say(said, until - now);
        return;
      }
      // A restriction belongs to the number: the device knows when another is linked or WhatsApp lifts it.
      isFirm = typeof retryAt === "number" && cause !== "timelocked";
      if (retryAt === "human") until = Number.POSITIVE_INFINITY;
      else if (retryAt === null) until = now + wait;
      else until = now + Math.max(0, retryAt - clock.now().getTime());
      sayWait(stop);
    },
    reached() {
      stops = 0;
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
