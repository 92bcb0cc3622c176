import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import pino from "pino";
import { adoptSimulator } from "../simulators/whatsapp/adopt.ts";
import { connectSimulator } from "../simulators/whatsapp/client.ts";
import { systemClock } from "../src/server/base/clock.ts";
import { openDatabase } from "../src/server/db/client.ts";
import { createSecrets } from "../src/server/db/secrets.ts";
import { findOutgoing } from "../src/server/files/repo.ts";
import { FairQueues } from "../src/server/jobs/fair-queue.ts";
import { loadMessageKey } from "../src/server/sending/ledger/message-key.ts";
import { LANE_TIMES } from "../src/server/sending/ledger/timing.ts";
import { openLanes } from "../src/server/sending/ownership/lanes.ts";
import { openDevice } from "../src/server/transports/device/device.ts";
import { loadWaVersion } from "../src/server/transports/device/wa-version.ts";
import { makeCampaign, readLedger } from "../tests/support/sending.ts";
import type { DeviceAnswer, DeviceRequest } from "./device.ts";
import { serveWorker } from "./worker.ts";

/** Lanes and device as the server opens them, without the server. */
const [databaseUrl = "", controlUrl = "", accountId = "", connection = ""] = process.argv.slice(2);
const connectionId = Number(connection);
const control = connectSimulator(controlUrl);
adoptSimulator(await control.info({}));
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(databaseUrl, { log });
const { db } = database;
const lanes = await openLanes({
  readFile: findOutgoing,
  queues: new FairQueues(systemClock),
  database,
  log,
  clock: systemClock,
  random: Math.random,
  times: LANE_TIMES,
  open: {
    device: openDevice({
      logins: { run: (_, logIn) => logIn() },
      database,
      log,
      clock: systemClock,
      random: Math.random,
      secrets: createSecrets(randomBytes(32).toString("base64")),
      waVersion: await loadWaVersion({ db, clock: systemClock, log }),
    }),
  },
  messages: async () => undefined,
  messageKey: await loadMessageKey(db),
  resend: "same-id",
  mark: () => undefined,
});
const phone = await link();

async function link(): Promise<string> {
  let scanned = false;
  for (;;) {
    const { rows } = await sql<{
      deviceId: string;
      qr: string | null;
      state: string;
      pairing: string | null;
    }>`
      select device_id as "deviceId", qr, state, pairing from connection where id = ${connectionId}`.execute(
      db,
    );
    const [row] = rows;
    if (row?.qr && !scanned) {
      await control.scan({ qr: row.qr, phone: row.deviceId });
      scanned = true;
    }
    if (row?.pairing && lanes.count().connected === 1) return row.deviceId;
    await pause(20);
  }
}

async function send({ people, firstPhone, text }: DeviceRequest): Promise<DeviceAnswer> {
  const used = process.cpuUsage();
  const campaignId = await makeCampaign(db, accountId, { people, firstPhone, text, connectionId });
  await sql`select pg_notify('recado_lane', 'start')`.execute(db);
  for (;;) {
    await pause(200);
    const { rows } = await sql<{ seconds: number | null }>`select
        extract(epoch from ended_at - started_at)::float8 as seconds from campaign where id = ${campaignId}`.execute(
      db,
    );
    const seconds = rows[0]?.seconds ?? null;
    if (seconds === null) continue;
    const { user, system } = process.cpuUsage(used);
    const ledger = await readLedger(db, campaignId);
    const done = ledger.rows.slice(6).reduce((sum, count) => sum + count, 0);
    if (done !== people) throw new Error(`the ledger says ${ledger.rows.join()}`);
    return { phone, seconds, cpuS: (user + system) / 1e6, heldMB: await heldMB() };
  }
}

async function heldMB(): Promise<number> {
  if (!globalThis.gc) throw new Error("started without --expose-gc");
  globalThis.gc();
  await pause(200);
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

serveWorker(send, async () => {
  await lanes.close(1_000);
  await database.close();
});
