import fs from "node:fs";
import path from "node:path";
import { GOALS, type Outcome } from "./outcome.ts";

/** `failed`: why the run did not end; it then has no outcome. */
export type Line = {
  at: string;
  kind: string;
  seed: number;
  index: number;
  seconds: number;
  load: number;
} & ((Outcome & { failed?: undefined }) | { plan: string; failed: string });

export function append(file: string, line: Line): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
}

export function readResults(file: string): Line[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const DEATH_GOAL_MS = 10_000;
const DATABASE_GOAL_MS = 5_000;

export function totals(lines: readonly Line[]): { text: string[]; good: boolean } {
  const done = lines.filter((line): line is Extract<Line, Outcome> => line.failed === undefined);
  const sum = (of: (one: Outcome) => number) => done.reduce((total, one) => total + of(one), 0);
  const failed = lines.length - done.length;
  const dead = recovery(
    "everything killed → next message",
    DEATH_GOAL_MS,
    done.flatMap((one) => one.fromDeathMs),
  );
  const away = recovery(
    "database back → next message",
    DATABASE_GOAL_MS,
    done.flatMap((one) => one.fromDatabaseMs),
  );
  const kinds = [...new Set(lines.map(({ kind }) => kind))].map(
    (kind) => `${kind} ${lines.filter((line) => line.kind === kind).length}`,
  );
  return {
    text: [
      `runs ${done.length} not ended ${failed} (${kinds.join(", ")})`,
      `people ${sum((one) => one.people)} sent ${sum((one) => one.sent)} kills ${sum((one) => one.kills)} database kills ${sum((one) => one.databaseKills)}`,
      `commits acknowledged ${sum((one) => one.committed)} of those lost ${sum((one) => one.commitsLost)} (goal 0)`,
      `written-to-after-leaving ${sum((one) => one.writtenToAfterLeaving ?? 0)} (goal 0) of ${sum((one) => one.optedOut ?? 0)} who left while something was away`,
      dead.text,
      away.text,
      `duplicated ${sum((one) => one.duplicated)} lost ${sum((one) => one.lost)} wronged ${sum((one) => one.wronged)} without-state ${sum((one) => one.withoutState)} (goal 0) uncertain ${sum((one) => one.uncertain)} beyond what is allowed ${sum((one) => one.tooUncertain)} (goal 0)`,
      `outside-hours ${sum((one) => one.outsideHours ?? 0)} over-budget ${sum((one) => one.overBudget ?? 0)} (goal 0)`,
    ],
    good: failed === 0 && dead.good && away.good && GOALS.every((goal) => sum((one) => one[goal] ?? 0) === 0),
  };
}

function recovery(what: string, goalMs: number, values: readonly number[]): { text: string; good: boolean } {
  const p95 = percentile(values, 0.95);
  if (p95 === null) return { text: `${what}: not measured`, good: true };
  const s = (ms: number | null) => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
  const good = p95 <= goalMs;
  const judged = good ? "met" : "MISSED";
  return {
    text: `${what}: p50 ${s(percentile(values, 0.5))} p95 ${s(p95)} of ${values.length} (goal p95 ≤ ${goalMs / 1_000} s: ${judged})`,
    good,
  };
}
