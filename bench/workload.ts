export type Workload = {
  name: string;
  run(bench: Bench): Promise<void>;
};

export type Bench = {
  rounds: number;
  n: number | null;
  scale: number | null;
  note(run: Run): void;
  /** Progress goes to stderr, so that stdout stays a table. */
  say(text: string): void;
  goal(goal: Goal): void;
};

export type Run = {
  workload: string;
  variant: string;
  figures: Readonly<Record<string, number | undefined>>;
  /** Samples during the run, for `--json` alone. */
  series?: Readonly<Record<string, readonly number[]>>;
};

/**
 * `limits`: the runs of the reference of a ratio. If they spread more than `MOST_SPREAD`, the machine was
 * busy and the ratio is not checked.
 */
export type Goal = {
  name: string;
  measured: number;
  bound: number;
  kind: "atLeast" | "atMost";
  limits?: readonly number[];
  /** Printed for comparison, not judged. */
  withdrawn?: boolean;
};

export const MOST_SPREAD = 0.3;

/** Spread as a share of the median; 0 for fewer than two values. */
export function spread(values: readonly number[]): number {
  return values.length < 2 ? 0 : (Math.max(...values) - Math.min(...values)) / median(values);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
