import type { Clock } from "../../domain/clock.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

export function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
