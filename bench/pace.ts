import path from "node:path";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { startNext } from "../src/server/sending/campaigns/audience.ts";
import { makeAccount, makeCampaign, makeConnection } from "../tests/support/sending.ts";
import type { PaceAnswer, PaceRequest } from "./pace-child.ts";
import { benchPostgres } from "./postgres.ts";
import { startWorker, type Worker } from "./worker.ts";
import { type Bench, median, quantile, type Workload } from "./workload.ts";

const LANES = [1, 50, 500] as const;
const INTERVAL_S = 1;
const TICKS = 20;
const SCALE = 1;

export const paceWorkload: Workload = {
  name: "pace",
  async run(bench) {
    const postgres = await benchPostgres();
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 4 });
    const worker = startWorker<PaceRequest, PaceAnswer>(path.join(import.meta.dirname, "pace-child.ts"), [
      postgres.url,
    ]);
    try {
      const parts: Parts = { bench, database, worker, accountId: await makeAccount(database.db) };
      await oneRun(parts, { lanes: 50, kind: "lanes", blocked: false, ticks: 5 });
      for (const lanes of LANES) await rounds(parts, lanes);
      await blockedRounds(parts);
    } finally {
      await worker.stop();
      await database.close();
      await postgres.stop();
    }
  },
};

type Parts = {
  bench: Bench;
  database: Database;
  worker: Worker<PaceRequest, PaceAnswer>;
  accountId: string;
};

async function rounds(parts: Parts, lanes: number): Promise<void> {
  const { bench } = parts;
  const runs: (Pace & { unsent: number })[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    for (const kind of ["bare", "lanes"] as const) {
      const { left, figures } = await oneRun(parts, { lanes, kind, blocked: false });
      const pace = { ...paceOf(left, kind === "bare" ? 1 : (bench.scale ?? SCALE)), ...figures };
      bench.note({
        workload: "pace",
        variant: `${lanes} ${kind === "bare" ? "bare timers" : "lanes"}`,
        figures: pace,
      });
      if (kind === "lanes") runs.push(pace);
    }
  }
  const of = (figure: keyof Pace) => median(runs.map((run) => run[figure]));
  const goal = (what: string, measured: number, bound: number, kind: "atLeast" | "atMost") =>
    bench.goal({ name: `pace-${lanes} ${what}`, measured, bound, kind });
  goal("drift-%", of("driftPercent"), 0.1, "atMost");
  goal("gap-error-p99-ms", of("gapErrorP99ms"), 10, "atMost");
  goal("earliest-ms", of("earliestMs"), -5, "atLeast");
  goal("unsent", Math.max(...runs.map((run) => run.unsent)), 0, "atMost");
}

/** A blocked channel must not slow the others: the slowest against their median. */
async function blockedRounds(parts: Parts): Promise<void> {
  const shares: number[] = [];
  for (let round = 0; round < parts.bench.rounds; round++) {
    const { left, figures } = await oneRun(parts, { lanes: 50, kind: "lanes", blocked: true });
    const others = left.slice(1);
    const sent = others.map((times) => times.length);
    const share = Math.min(...sent) / median(sent);
    const pace = paceOf(others, parts.bench.scale ?? SCALE);
    parts.bench.note({
      workload: "pace",
      variant: "50 lanes, one blocked",
      figures: { ...pace, ...figures, fairness: share },
    });
    shares.push(share);
  }
  parts.bench.goal({ name: "pace-fairness", measured: Math.min(...shares), bound: 0.95, kind: "atLeast" });
}

type Run = { lanes: number; kind: PaceRequest["kind"]; blocked: boolean; ticks?: number };

async function oneRun({ bench, database, worker, accountId }: Parts, run: Run) {
  const { lanes, kind, blocked, ticks = bench.n ?? TICKS } = run;
  const connections: number[] = [];
  for (let at = 0; at < lanes; at++)
    connections.push(kind === "bare" ? at : await laneOf(database, accountId, ticks));
  const scale = kind === "bare" ? 1 : (bench.scale ?? SCALE);
  const answer = await worker.ask({
    kind,
    connections,
    ticks,
    intervalMs: INTERVAL_S * 1_000,
    scale,
    blocked,
  });
  const left = answer.left;
  const messages = left.reduce((sum, times) => sum + times.length, 0);
  return {
    left,
    figures: { lanes, messages, unsent: lanes * ticks - messages, ourUs: (answer.cpuS / messages) * 1e6 },
  };
}

async function laneOf(database: Database, accountId: string, people: number): Promise<number> {
  const connectionId = await makeConnection(database.db, accountId);
  await makeCampaign(database.db, accountId, { people, connectionId, intervalS: INTERVAL_S });
  await startNext(database);
  return connectionId;
}

type Pace = { driftPercent: number; gapErrorP50ms: number; gapErrorP99ms: number; earliestMs: number };

function paceOf(left: readonly (readonly number[])[], scale: number): Pace {
  const interval = INTERVAL_S * 1_000;
  const drifts: number[] = [];
  const errors: number[] = [];
  for (const times of left) {
    const gaps = times.slice(1).map((at, nth) => at - (times[nth] ?? 0));
    errors.push(...gaps.map((gap) => (gap - interval) / scale));
    if (gaps.length === 0) continue;
    const meant = gaps.length * interval;
    drifts.push((100 * Math.abs(gaps.reduce((sum, gap) => sum + gap, 0) - meant)) / meant);
  }
  const sizes = errors.map(Math.abs);
  return {
    driftPercent: median(drifts),
    gapErrorP50ms: quantile(sizes, 0.5),
    gapErrorP99ms: quantile(sizes, 0.99),
    earliestMs: Math.min(...errors),
  };
}
