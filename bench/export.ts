import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { listRow } from "../tests/support/campaign-rows.ts";
import { type ProductServer, startProduct } from "../tests/support/server.ts";
import { benchPostgres } from "./postgres.ts";
import { AS_STARTED, forgetPeak, residentMB } from "./product.ts";
import { BENCH_EMAIL, signUp } from "./sign-up.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const ROWS = 1_000_000;

export const exportWorkload: Workload = {
  name: "export",
  async run(bench) {
    const postgres = await benchPostgres();
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 2 });
    const product = await startProduct({ databaseUrl: postgres.url, ...AS_STARTED });
    try {
      const cookie = await signUp(product.url);
      bench.say(`export: writing ${bench.n ?? ROWS} rows`);
      const listId = await writeList(database, bench.n ?? ROWS);
      await rounds(bench, { database, product, cookie, listId });
    } finally {
      await product.close();
      await database.close();
      await postgres.stop();
    }
  },
};

type Parts = { database: Database; product: ProductServer; cookie: string; listId: number };

async function rounds(bench: Bench, parts: Parts): Promise<void> {
  const rows = bench.n ?? ROWS;
  const pid = parts.product.pid();
  await limit(parts);
  const whole = await download(parts);
  checkLines(whole.lines(), rows);
  const idleMB = residentMB(pid, "VmRSS");
  const ratios: number[] = [];
  const limits: number[] = [];
  const firsts: number[] = [];
  forgetPeak(pid);
  for (let round = 0; round < bench.rounds; round++) {
    const limitS = await limit(parts);
    const { seconds, firstByteMs, bytes } = await download(parts);
    if (bytes !== whole.bytes) throw new Error(`${bytes} bytes, where the first file had ${whole.bytes}`);
    const figures = { rows, seconds, rowsPerS: rows / seconds, firstByteMs, fileMB: bytes / 1e6 };
    const note = (variant: string, its: Record<string, number>) =>
      bench.note({ workload: "export", variant, figures: its });
    note("COPY TO", { rows, seconds: limitS, rowsPerS: rows / limitS });
    note("product", { ...figures, idleMB, peakMB: residentMB(pid, "VmHWM") });
    note("product / COPY TO", { ratio: limitS / seconds });
    ratios.push(limitS / seconds);
    limits.push(limitS);
    firsts.push(firstByteMs);
  }
  const peakMB = residentMB(pid, "VmHWM");
  bench.goal({ name: "export/copy", measured: median(ratios), bound: 0.3, kind: "atLeast", limits });
  bench.goal({ name: "export-peak-MB", measured: peakMB, bound: 120, kind: "atMost", withdrawn: true });
  bench.goal({ name: "export-grows-by-MB", measured: peakMB - idleMB, bound: 75, kind: "atMost" });
  bench.goal({ name: "export-first-byte-ms", measured: median(firsts), bound: 50, kind: "atMost" });
}

async function writeList({ db }: Database, rows: number): Promise<number> {
  const account = await sql<{ id: string }>`select id from account where email = ${BENCH_EMAIL}`.execute(db);
  const listId = await listRow(db, account.rows[0]?.id ?? "", rows);
  await sql`vacuum analyze person, membership`.execute(db);
  await sql`checkpoint`.execute(db);
  return listId;
}

/** In seconds. */
async function limit({ database, listId }: Parts): Promise<number> {
  const start = performance.now();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  await database.session((session) =>
    pipeline(
      session.copyOut(
        `copy (select p.name, p.phone from membership m join person p on p.id = m.person_id
          where m.list_id = ${listId} order by m.seq) to stdout csv`,
      ),
      sink,
    ),
  );
  return (performance.now() - start) / 1000;
}

const LINE_END = 10;

async function download({ product, cookie, listId }: Parts) {
  const start = performance.now();
  const answer = await product.fetch(`/api/contact-lists/${listId}/export`, {
    headers: { cookie, "accept-encoding": "identity" },
  });
  if (!answer.ok || !answer.body) throw new Error(`the export answered ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let firstByteMs = 0;
  for await (const chunk of answer.body) {
    if (chunks.length === 0) firstByteMs = performance.now() - start;
    chunks.push(chunk);
  }
  const seconds = (performance.now() - start) / 1000;
  return {
    seconds,
    firstByteMs,
    bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    lines: () =>
      chunks.reduce((sum, chunk) => sum + chunk.reduce((n, byte) => n + (byte === LINE_END ? 1 : 0), 0), 0),
  };
}

function checkLines(lines: number, rows: number): void {
  if (lines !== rows + 1) throw new Error(`${lines} lines for ${rows} contacts and a heading`);
}
