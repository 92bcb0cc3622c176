import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import pino from "pino";
import { DELIVERY } from "../src/domain/delivery.ts";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { openDiskStore } from "../src/server/files/service.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../tests/support/sending.ts";
import { startProduct } from "../tests/support/server.ts";
import { type BenchPostgres, benchPostgres } from "./postgres.ts";
import { AS_STARTED, residentMB } from "./product.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const PEOPLE = 1_000_000;
const PEOPLE_OF_VIDEO = 100_000;
const VIDEO_BYTES = 16 * 1024 * 1024;
const MOST_MB = 256;
const TEXT = `Oi, {nome}! ${"x".repeat(180)}`;
const EACH_MS = 1_000;

export const memoryWorkload: Workload = { name: "memory", run: (bench) => withDatabase(bench, rounds) };
export const memoryVideoWorkload: Workload = {
  name: "memory-video",
  run: (bench) => withDatabase(bench, videoRounds),
};

async function withDatabase(bench: Bench, run: typeof rounds): Promise<void> {
  const postgres = await benchPostgres();
  const database = openDatabase(postgres.url, {
    log: pino({ level: "warn" }),
    max: 2,
    statementTimeoutMs: 1_800_000,
  });
  try {
    await run(bench, postgres, database);
  } finally {
    await database.close();
    await postgres.stop();
  }
}

async function videoRounds(bench: Bench, postgres: BenchPostgres, database: Database): Promise<void> {
  const accountId = await makeAccount(database.db);
  const peaks: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const people = Math.min(bench.n ?? PEOPLE_OF_VIDEO, PEOPLE_OF_VIDEO);
    peaks.push((await oneRun(bench, { postgres, database, accountId, people, withVideo: true })).peakMB);
  }
  bench.goal({ name: "memory-video-peak-MB", measured: median(peaks), bound: MOST_MB, kind: "atMost" });
}

async function rounds(bench: Bench, postgres: BenchPostgres, database: Database): Promise<void> {
  const people = bench.n ?? PEOPLE;
  const accountId = await makeAccount(database.db);
  const ratios: number[] = [];
  const tenths: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const tenth = await oneRun(bench, { postgres, database, accountId, people: Math.ceil(people / 10) });
    const whole = await oneRun(bench, { postgres, database, accountId, people });
    const ratio = whole.peakMB / tenth.peakMB;
    bench.note({ workload: "memory", variant: "all / a tenth", figures: { ratio } });
    ratios.push(ratio);
    tenths.push(tenth.peakMB);
    peaks.push(whole.peakMB);
  }
  const atMost = { kind: "atMost" } as const;
  bench.goal({ name: "memory-all/tenth", measured: median(ratios), bound: 1.15, limits: tenths, ...atMost });
  bench.goal({ name: "memory-peak-MB", measured: median(peaks), bound: MOST_MB, ...atMost });
}

type Job = {
  postgres: BenchPostgres;
  database: Database;
  accountId: string;
  people: number;
  withVideo?: boolean;
};

async function oneRun(bench: Bench, { postgres, database, accountId, people, withVideo = false }: Job) {
  const { db } = database;
  const connectionId = await makeConnection(db, accountId);
  const before = await diskBytes(database);
  const seen = path.join(postgres.folder, `seen-${connectionId}.json`);
  const dataFolder = path.join(postgres.folder, "product");
  fs.mkdirSync(dataFolder, { recursive: true });
  const product = await startProduct({
    databaseUrl: postgres.url,
    dataFolder,
    ...AS_STARTED,
    env: { ...AS_STARTED.env, BENCH_SEEN: seen },
    preload: ["bench/scripted-preload.ts"],
  });
  try {
    const idleMB = residentMB(product.pid(), "VmRSS");
    const made = { people, text: TEXT, connectionId, status: "draft" };
    const campaignId = await makeCampaign(db, accountId, made);
    const attachmentId = withVideo ? await placeVideo(database, accountId, dataFolder) : null;
    await sql`update campaign set status = 'starting', attachment_id = ${attachmentId} where id = ${campaignId}`.execute(
      db,
    );
    await sql`select pg_notify('recado_lane', 'start')`.execute(db);
    const eachSecond = [idleMB];
    let seconds: number | null = null;
    while (seconds === null) {
      await pause(EACH_MS);
      eachSecond.push(residentMB(product.pid(), "VmRSS"));
      seconds = await secondsOf(database, campaignId);
    }
    const peakMB = residentMB(product.pid(), "VmHWM");
    if ((await product.stop()) !== 0) throw new Error(`not ended in order:\n${product.output()}`);
    await check(database, campaignId, people, seen, withVideo);
    const diskB = ((await diskBytes(database)) - before) / people;
    const figures = { people, perS: people / seconds, idleMB, medianMB: median(eachSecond), peakMB, diskB };
    bench.note({
      workload: "memory",
      variant: `${people} people${withVideo ? ", video" : ""}`,
      figures,
      series: { eachSecond },
    });
    return figures;
  } finally {
    await product.close();
    // Otherwise the next product would open this connection too.
    await sql`update connection set desired = 'disconnected' where id = ${connectionId}`.execute(db);
  }
}

/** The server judges files when they are uploaded; a lane sends bytes. */
async function placeVideo({ db }: Database, accountId: string, dataFolder: string): Promise<number> {
  const key = randomUUID();
  await openDiskStore(dataFolder).put(key, randomBytes(VIDEO_BYTES));
  const { rows } = await sql<{ id: number }>`
    insert into attachment (account_id, sha256, mime, width, height, kind, name, size, seconds, stored_as)
    values (${accountId}::uuid, ${randomBytes(32)}, 'video/mp4', 1280, 720, 'video', 'loja.mp4', ${VIDEO_BYTES}, 60, ${key})
    returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Null until it is over. */
async function secondsOf({ db }: Database, campaignId: number): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`select
      extract(epoch from ended_at - started_at)::float8 as seconds from campaign where id = ${campaignId}`.execute(
    db,
  );
  return rows[0]?.seconds ?? null;
}

async function diskBytes(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    "select pg_total_relation_size('delivery')::float8 as bytes",
  );
  return rows[0]?.bytes ?? 0;
}

async function check(
  { db }: Database,
  campaignId: number,
  people: number,
  seen: string,
  withVideo: boolean,
): Promise<void> {
  const { rows, counters } = await readLedger(db, campaignId);
  const { accepted, twice, videos, uploadedBytes } = JSON.parse(fs.readFileSync(seen, "utf8")) as {
    accepted: number;
    twice: number;
    videos: number;
    uploadedBytes: number;
  };
  if (withVideo && (videos !== people || uploadedBytes < VIDEO_BYTES || uploadedBytes >= 2 * VIDEO_BYTES))
    throw new Error(`${videos} videos sent, ${uploadedBytes} bytes uploaded`);
  if (accepted !== people || twice > 0)
    throw new Error(`${people - accepted} people missing, ${twice} got more than one`);
  if (rows[DELIVERY.sent] !== people || rows.join() !== counters.join())
    throw new Error(`the ledger says ${rows.join()}, its counters ${counters.join()}`);
}
