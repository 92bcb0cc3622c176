import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { type ProductServer, startProduct } from "../tests/support/server.ts";
import { benchPostgres } from "./postgres.ts";
import { countPostgres } from "./postgres-cost.ts";
import { AS_STARTED } from "./product.ts";
import { QUESTIONS, type Question } from "./reads-questions.ts";
import { type ReadsRows, writeReadsRows } from "./reads-rows.ts";
import { signUp } from "./sign-up.ts";
import { type Bench, median, quantile, type Workload } from "./workload.ts";

const SHORT = 10_000;
const LONG = 10_000_000;
/** Requests per question and round: a kernel tick of 10 ms is 0.1 ms of each of a hundred. */
const REQUESTS = 100;
const MOST_MS = 4_000;

export const readsWorkload: Workload = {
  name: "reads",
  async run(bench) {
    const postgres = await benchPostgres();
    const long = bench.n ?? LONG;
    const opened: Side[] = [];
    try {
      opened.push(await openSide(bench, postgres.url, Math.min(SHORT, long)));
      opened.push(await openSide(bench, await postgres.another(), long));
      const [short, other] = opened;
      if (short && other) await rounds(bench, { short, long: other });
    } finally {
      for (const { product, database } of opened) {
        await product.close();
        await database.close();
      }
      await postgres.stop();
    }
  },
};

type Side = { database: Database; product: ProductServer; cookie: string; rows: ReadsRows };
type Sides = { short: Side; long: Side };

async function openSide(bench: Bench, url: string, deliveries: number): Promise<Side> {
  const log = pino({ level: "warn" });
  const database = openDatabase(url, { log, max: 2, statementTimeoutMs: 1_800_000 });
  const product = await startProduct({ databaseUrl: url, ...AS_STARTED });
  const cookie = await signUp(product.url);
  bench.say(`reads: writing ${deliveries} deliveries`);
  return { database, product, cookie, rows: await writeReadsRows(database.db, deliveries, bench.say) };
}

type Measured = Record<keyof Sides, number[]> & { ratios: number[]; pgMs: number[] };

async function rounds(bench: Bench, sides: Sides): Promise<void> {
  const all = new Map<string, Measured>(
    QUESTIONS.map(({ name }) => [name, { short: [], long: [], ratios: [], pgMs: [] }]),
  );
  // Round 0 is not counted: it warms both products and the database.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const question of QUESTIONS) {
      const short = await ask(sides.short, question);
      const long = await ask(sides.long, question);
      const measured = all.get(question.name);
      if (round === 0 || !measured) continue;
      for (const [length, figures] of Object.entries({ short, long }))
        bench.note({ workload: "reads", variant: `${question.name}, ${length}`, figures });
      const ratio = long.ms / short.ms;
      bench.note({ workload: "reads", variant: `${question.name}, long / short`, figures: { ratio } });
      measured.short.push(short.ms);
      measured.long.push(long.ms);
      measured.ratios.push(ratio);
      if (long.pgMs !== undefined) measured.pgMs.push(long.pgMs);
    }
  }
  for (const question of QUESTIONS) {
    const measured = all.get(question.name);
    if (measured) judge(bench, question, measured, all);
  }
}

function judge(
  bench: Bench,
  { name, by, beside }: Question,
  measured: Measured,
  all: ReadonlyMap<string, Measured>,
): void {
  const goal = (what: string, figure: number, bound: number, limits: readonly number[] = []) =>
    bench.goal({ name: `reads-${what} ${name}`, measured: figure, bound, kind: "atMost", limits });
  if (by === "words") {
    goal("ms", median(measured.long), 1_000);
    return;
  }
  goal("long/short", median(measured.ratios), 1.5, measured.short);
  if (measured.pgMs.length > 0) goal("database-ms", median(measured.pgMs), 3);
  const first = beside === undefined ? undefined : all.get(beside)?.long;
  if (!first) return;
  const ratios = measured.long.map((ms, round) => ms / (first[round] ?? Number.NaN));
  goal("deep/first", median(ratios), 1.5, first);
}

async function ask({ database, product, cookie, rows }: Side, { path }: Question) {
  const place = path(rows);
  const waits: number[] = [];
  const spent = await countPostgres(database);
  const start = performance.now();
  while (waits.length < REQUESTS && performance.now() - start < MOST_MS) {
    const asked = performance.now();
    const answer = await product.fetch(place, { headers: { cookie } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${place} answered ${answer.status}`);
    waits.push(performance.now() - asked);
  }
  const { cpuS } = await spent();
  return {
    requests: waits.length,
    ms: median(waits),
    p99ms: quantile(waits, 0.99),
    pgMs: cpuS === null ? undefined : (cpuS * 1000) / waits.length,
  };
}
