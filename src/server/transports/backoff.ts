const BACKOFF_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/**
 * Pause in ms after `failures` in a row: 1, 2, 5, 10, 30, 60 s plus up to a quarter, so that many devices do
 * not reconnect at once. `random`: [0, 1).
 */
export function backoffMs(
  failures: number,
  random: () => number,
  steps: readonly number[] = BACKOFF_MS,
): number {
  const step = steps[Math.min(failures, steps.length - 1)] ?? 60_000;
  return Math.round(step * (1 + random() / 4));
}
