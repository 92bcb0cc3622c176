const BACKOFF_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/**
 * How long to wait before connecting again after `failures` fruitless attempts in a row (0 for the first): 1, 2, 5, 10, 30, 60 s
 * and up to a quarter more, so that a hundred devices do not return in the same instant. `random` gives [0, 1).
 */
export function backoffMs(
  failures: number,
  random: () => number,
  steps: readonly number[] = BACKOFF_MS,
): number {
  const step = steps[Math.min(failures, steps.length - 1)] ?? 60_000;
  return Math.round(step * (1 + random() / 4));
}
