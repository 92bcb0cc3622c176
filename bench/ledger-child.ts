import { sql } from "kysely";
import pino from "pino";
import { Pool } from "undici";
import { systemClock } from "../src/server/base/clock.ts";
import { openDatabase, type Prepared } from "../src/server/db/client.ts";
import { findOutgoing } from "../src/server/files/repo.ts";
import { Lane } from "../src/server/sending/lane/lane.ts";
import { LANE_TIMES } from "../src/server/sending/ledger/timing.ts";
import { acquireConnection } from "../src/server/sending/ownership/acquire.ts";
import type { Transport } from "../src/server/transports/transport.ts";
import { serveWorker } from "./worker.ts";

export type LedgerVariant = "raw" | "ids" | "slots";
export type LedgerRequest =
  | { kind: "raw"; people: number; text: string }
  | { kind: "lane"; connectionId: number; campaignId: number };
export type LedgerAnswer = { seconds: number; turns: number; cpuS: number; peakMB: number };

const AT_ONCE = 32;
const HEADERS = { "content-type": "application/json" };
const OWNER = "00000000-0000-4000-8000-000000000001";

const [variant = "raw", sinkUrl = "", databaseUrl = ""] = process.argv.slice(2);
const gateway = new Pool(sinkUrl, { connections: AT_ONCE, pipelining: 1 });
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(databaseUrl, { log });

async function post(number: string, message: string, id: string): Promise<number> {
  const body = JSON.stringify({ deviceId: "5511940000001", number, message, id });
  const answer = await gateway.request({
    path: "/api/whatsapp/send",
    method: "POST",
    headers: HEADERS,
    body,
  });
  await answer.body.dump();
  return answer.statusCode;
}

async function raw(people: number, text: string): Promise<void> {
  const id = "3EB0".padEnd(22, "A");
  const [before = "", after = ""] = text.split("{nome}");
  let next = 0;
  const worker = async () => {
    while (next < people) {
      const seq = next++;
      const status = await post(String(5_511_900_000_000 + seq), `${before}Pessoa ${seq}${after}`, id);
      if (status !== 200) throw new Error(`the sink answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const transport: Transport = {
  takesOurIds: variant === "ids",
  slots: AT_ONCE,
  pairing: () => null,
  ready: () => true,
  readyFor: () => 3_600_000,
  onReady: () => () => undefined,
  async send({ to, text, messageId }) {
    const status = await post(to.jid, text, messageId);
    if (status !== 200) return { kind: "ambiguous", reason: String(status) };
    return { kind: "accepted", providerId: messageId, at: Date.now() };
  },
  close: async () => undefined,
};

let turns = 0;
const prepared: Prepared = (name, text, values) => {
  turns += 1;
  return database.prepared(name, text, values);
};

async function lane(connectionId: number, campaignId: number): Promise<void> {
  const taken = await acquireConnection(database.db, connectionId, OWNER, "resend");
  const running = new Lane({
    readFile: findOutgoing,
    connectionId,
    fence: taken?.fence ?? 0,
    db: database.db,
    prepared,
    transport,
    log,
    clock: systemClock,
    random: Math.random,
    times: LANE_TIMES,
    messageKey: Buffer.alloc(32, 7),
    resendsDoubts: true,
    after(ms, call) {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    mayAct: () => true,
    changed: () => undefined,
    ended: (reason) => log.error({ reason }, "the lane ended"),
  });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { rows } = await sql<{ left: number }>`select total - sent_count as left from campaign
      where id = ${campaignId}`.execute(database.db);
    if (rows[0]?.left === 0) break;
  }
  await running.close(1_000);
}

serveWorker(
  async (request: LedgerRequest): Promise<LedgerAnswer> => {
    const start = performance.now();
    const before = process.cpuUsage();
    turns = 0;
    if (request.kind === "raw") await raw(request.people, request.text);
    else await lane(request.connectionId, request.campaignId);
    const { user, system } = process.cpuUsage(before);
    return {
      seconds: (performance.now() - start) / 1000,
      turns,
      cpuS: (user + system) / 1e6,
      peakMB: process.resourceUsage().maxRSS / 1024,
    };
  },
  () => database.close(),
);
