import { type Goal, MOST_SPREAD, median, type Run, spread } from "./workload.ts";

export function tableOf(runs: readonly Run[]): string {
  const names = [...new Set(runs.flatMap(({ figures }) => Object.keys(figures)))];
  const variants = new Map<string, Run[]>();
  for (const run of runs) {
    const key = `${run.workload} ${run.variant}`;
    variants.set(key, [...(variants.get(key) ?? []), run]);
  }
  const rows = [["", "runs", ...names]];
  for (const [key, its] of variants) {
    rows.push([
      key,
      String(its.length),
      ...names.map((name) => cellOf(its.map(({ figures }) => figures[name]))),
    ]);
  }
  return aligned(rows);
}

function cellOf(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return "–";
  const middle = shown(median(known));
  return known.length === 1
    ? middle
    : `${middle} [${shown(Math.min(...known))}..${shown(Math.max(...known))}]`;
}

function shown(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en-US");
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

/**
 * `goal <name> <measured> <bound> met|missed`, or `unjudged` with the reason where the limit itself varied
 * too much; `withdrawn` goals are not judged.
 */
export function goalLine(goal: Goal): string {
  const { name, measured, bound, kind, limits = [] } = goal;
  const line = `goal ${name} ${shown(measured)} ${kind === "atLeast" ? ">=" : "<="}${bound}`;
  if (goal.withdrawn) return `${line} withdrawn`;
  const apart = spread(limits);
  if (apart > MOST_SPREAD)
    return `${line} unjudged: the limit's own runs lie ${Math.round(apart * 100)} % apart`;
  return `${line} ${isMet(goal) ? "met" : "missed"}`;
}

const isMet = ({ measured, bound, kind }: Goal) =>
  kind === "atLeast" ? measured >= bound : measured <= bound;
