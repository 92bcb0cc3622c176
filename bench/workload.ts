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
};

/** `atLeast` or `atMost` its bound. */
export type Goal = { name: string; measured: number; bound: number; kind: "atLeast" | "atMost" };

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
