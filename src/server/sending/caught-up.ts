import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Transport } from "../transports/transport.ts";
import type { Lane } from "./lane-deps.ts";

/**
 * What somebody told an account before now and nobody has taken in yet: answers what says whether it has been by then. Asked when a lane
 * begins.
 */
export type ToldBefore = (accountId: string) => Promise<() => Promise<boolean>>;

type Deps = {
  told?: ToldBefore | undefined;
  accountId: string;
  clock: Pick<Clock, "monotonic">;
  log: Logger;
  /** Milliseconds between two looks. */
  poll: number;
  /** The lane that waits; undefined once it is gone. */
  lane(): Lane | undefined;
  /** Says on the screens that it waits. */
  transport: Pick<Transport, "holds">;
};

/** Longer than it takes to read a day's events. What then still waits cannot be read, and nobody else is to wait for it. */
const MOST_MS = 10 * 60_000;

/**
 * Whether a lane may hand out people of campaigns: while no process worked, gateways were answered that we have what they told, and whoever
 * left may be among it.
 */
export function caughtUp({ told, accountId, clock, log, poll, lane, transport }: Deps): () => boolean {
  if (!told) return () => true;
  let done = false;
  let held = false;
  function hold(now: boolean): void {
    if (held !== now) transport.holds?.("catching_up", now);
    held = now;
  }
  async function wait(ask: ToldBefore): Promise<void> {
    const end = clock.monotonic() + MOST_MS;
    let isIn: (() => Promise<boolean>) | null = null;
    while (clock.monotonic() < end) {
      try {
        isIn ??= await ask(accountId);
        if (await isIn()) return;
        hold(true);
      } catch (error) {
        log.debug({ err: error }, "what waits to be taken in is not known yet");
      }
      await pause(poll, null, { ref: false });
      if (!lane()) return;
    }
    log.warn({ accountId }, "campaigns go on, though not all that gateways told could be taken in");
  }
  void wait(told).then(() => {
    done = true;
    hold(false);
    lane()?.wake();
  });
  return () => done;
}
