/** One thing to measure, by its word on the command line. */
export type Workload = {
  name: string;
  run(bench: Bench): Promise<void>;
};

/** What a workload gets, and where it puts what it finds. */
export type Bench = {
  /** How many times each variant runs, in turns. */
  rounds: number;
  /** Size of the job, when another than the workload's own was asked for. */
  n: number | null;
  /** How many times faster time shall pass, where it is an argument. */
  scale: number | null;
  /** Notes one run as it was; `--json` keeps these. */
  note(run: Run): void;
  /** Tells what is going on, on the error stream, so that the output stays a table. */
  say(text: string): void;
  /** Compares a figure with its bound. */
  goal(goal: Goal): void;
};

/** One run of one variant: figures by their names, with units in the names. */
export type Run = {
  workload: string;
  variant: string;
  figures: Readonly<Record<string, number | undefined>>;
  /** What was looked at again and again during the run, by name: for `--json` alone. */
  series?: Readonly<Record<string, readonly number[]>>;
};

/**
 * `atLeast` or `atMost` its bound. `limits`, of a ratio: what the other side of it measured in each of its runs. Where that was itself
 * all over the place (`MOST_SPREAD`), the machine had other things to do, and no ratio is judged.
 */
export type Goal = {
  name: string;
  measured: number;
  bound: number;
  kind: "atLeast" | "atMost";
  limits?: readonly number[];
};

/** The widest that a limit's runs may lie apart for a ratio to it to be judged. */
export const MOST_SPREAD = 0.3;

/** How far these values lie apart, as a share of their median; 0 for fewer than two. */
export function spread(values: readonly number[]): number {
  return values.length < 2 ? 0 : (Math.max(...values) - Math.min(...values)) / median(values);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

/** The value below which this share (0 to 1) of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
