import path from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { DELIVERY } from "../src/domain/delivery.ts";
import { analyze } from "../src/server/db/analyze.ts";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { startNext } from "../src/server/sending/campaigns/audience.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../tests/support/sending.ts";
import type { SinkStats } from "./http-sink.ts";
import type { LedgerAnswer, LedgerRequest, LedgerVariant } from "./ledger-child.ts";
import { benchPostgres } from "./postgres.ts";
import { countPostgres, type PostgresCost } from "./postgres-cost.ts";
import { startWorker, type Worker } from "./worker.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const PEOPLE = 200_000;
/** Cold code costs twice as much, so each process has one uncounted run. */
const WARM_UP = 40_000;
export const LEDGER_TEXT = `Oi, {nome}! ${"x".repeat(180)}`;
const VARIANTS = ["raw", "ids", "slots"] as const;

export const ledgerWorkload: Workload = {
  name: "dispatch-ledger",
  async run(bench) {
    const postgres = await benchPostgres();
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 4 });
    const sink = startWorker<null, SinkStats>(path.join(import.meta.dirname, "http-sink.ts"));
    const { url } = await sink.ask(null);
    const child = path.join(import.meta.dirname, "ledger-child.ts");
    const workers = VARIANTS.map((variant) => ({
      variant,
      worker: startWorker<LedgerRequest, LedgerAnswer>(child, [variant, url, postgres.url]),
    }));
    try {
      await rounds(bench, { database, sink, workers });
    } finally {
      for (const { worker } of workers) await worker.stop();
      await sink.stop();
      await database.close();
      await postgres.stop();
    }
  },
};

type Parts = {
  database: Database;
  sink: Worker<null, SinkStats>;
  workers: readonly { variant: LedgerVariant; worker: Worker<LedgerRequest, LedgerAnswer> }[];
};

type Figures = Awaited<ReturnType<typeof ledgerRun>>;

async function rounds(bench: Bench, { database, sink, workers }: Parts): Promise<void> {
  const accountId = await makeAccount(database.db);
  const people = bench.n ?? PEOPLE;
  const runs: Record<LedgerVariant, Figures[]> = { raw: [], ids: [], slots: [] };
  for (let round = -1; round < bench.rounds; round++) {
    const warming = round < 0;
    for (const { variant, worker } of workers) {
      const job = { database, sink, worker, accountId, variant, people: warming ? WARM_UP : people };
      const figures = await ledgerRun(job);
      if (warming) continue;
      runs[variant].push(figures);
      bench.note({ workload: "dispatch", variant: LABELS[variant], figures });
    }
  }
  const of = (variant: LedgerVariant, figure: keyof Figures) =>
    median(runs[variant].map((run) => run[figure] ?? Number.NaN));
  const ratio = (variant: LedgerVariant) => {
    const ratios = runs[variant].map(({ perS }, at) => perS / (runs.raw[at]?.perS ?? Number.NaN));
    for (const one of ratios)
      bench.note({ workload: "dispatch", variant: `${LABELS[variant]} / undici`, figures: { ratio: one } });
    return median(ratios);
  };
  const limits = runs.raw.map(({ perS }) => perS);
  const atLeast = (name: string, measured: number, bound: number) =>
    bench.goal({ name, measured, bound, kind: "atLeast", limits });
  atLeast("ledger-500/undici", ratio("ids"), 0.55);
  atLeast("ledger-slots-32/undici", ratio("slots"), 0.35);
  bench.goal({ name: "ledger-500-wal-B", measured: of("ids", "walB"), bound: 400, kind: "atMost" });
  bench.goal({ name: "ledger-500-postgres-us", measured: of("ids", "pgUs"), bound: 10, kind: "atMost" });
}

const LABELS: Record<LedgerVariant, string> = {
  raw: "undici loop",
  ids: "ledger at 500",
  slots: "ledger slots 32",
};

type Job = {
  database: Database;
  sink: Worker<null, SinkStats>;
  worker: Worker<LedgerRequest, LedgerAnswer>;
  accountId: string;
  variant: LedgerVariant;
  people: number;
};

export async function ledgerRun({ database, sink, worker, accountId, variant, people }: Job) {
  const campaign = variant === "raw" ? null : await campaignOf(database, accountId, people);
  await sink.ask(null);
  const spent = await countPostgres(database);
  const answer = await worker.ask(
    campaign ? { kind: "lane", ...campaign } : { kind: "raw", people, text: LEDGER_TEXT },
  );
  const cost = await spent();
  const { distinct, duplicates, cpuS } = await sink.ask(null);
  if (distinct !== people || duplicates > 0)
    throw new Error(`${variant}: ${people - distinct} people missing, ${duplicates} messages twice`);
  if (campaign) await checkLedger(database, campaign.campaignId, people);
  return {
    people,
    perS: people / answer.seconds,
    perTurn: answer.turns === 0 ? undefined : people / answer.turns,
    ...perMessage(answer.cpuS, cost, people),
    sinkUs: (cpuS / people) * 1e6,
    peakMB: answer.peakMB,
  };
}

function perMessage(cpuS: number, { walBytes, cpuS: postgresS }: PostgresCost, people: number) {
  return {
    ourUs: (cpuS / people) * 1e6,
    pgUs: postgresS === null ? undefined : (postgresS / people) * 1e6,
    walB: walBytes / people,
  };
}

async function campaignOf(database: Database, accountId: string, people: number) {
  const { db } = database;
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people, text: LEDGER_TEXT, connectionId });
  await startNext(database);
  await analyze(database, "delivery");
  await sql`checkpoint`.execute(db);
  return { connectionId, campaignId };
}

async function checkLedger(database: Database, campaignId: number, people: number): Promise<void> {
  const { status, rows, counters } = await readLedger(database.db, campaignId);
  const sent = rows[DELIVERY.sent] ?? 0;
  if (status !== "ended" || sent !== people || rows.join() !== counters.join())
    throw new Error(`the ledger is ${status} with ${rows.join()}, counters ${counters.join()}`);
}
