import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

const RESOLUTION_MS = 1;

/** Longest block of the event loop in ms during `work`. For output only: it depends on the machine. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  await pause(20);
  delays.reset();
  await work();
  await pause(20);
  delays.disable();
  return delays.max / 1e6 - RESOLUTION_MS;
}
