import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

const RESOLUTION_MS = 1;

/** The longest, in milliseconds, that this process did nothing else while `work` ran. To be printed: it depends on the machine. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  // Its first tick has to be there before the work begins.
  await pause(20);
  delays.reset();
  await work();
  await pause(20);
  delays.disable();
  return delays.max / 1e6 - RESOLUTION_MS;
}
