import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { testDatabase } from "../support/database.ts";
import { type Processes, startProcesses } from "../support/processes.ts";
import { askHealth, OPERATOR, type ProductServer } from "../support/server.ts";
import { check } from "./check.ts";
import { makeList, until } from "./installation.ts";

const NUMBERS = ["5511940000001", "5511940000002", "5511940000003"];
/** A campaign's length then depends on its people, not on the machine. */
const ACK_MS = 100;
const PEOPLE = 80;
/** A take-over stops a lane for as long as a lease, so fewer are enough. */
const FEW = 40;

const { database, url: databaseUrl } = await testDatabase();
const { db } = database;
const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-several-"));
const BLOCK = path.join(dataFolder, "block");
const simulator = await startLocalSimulator({});
const { control } = simulator;
let all: Processes;
let web: ProductServer;
let workers: ProductServer[];
const said: string[] = [];

beforeAll(async () => {
  quietSignal();
  all = await startProcesses({
    databaseUrl,
    dataFolder,
    parts: ["web", "worker", "worker"],
    env: {
      ...OPERATOR,
      RECADO_SIMULATOR: simulator.controlUrl,
      RECADO_TIME_SCALE: "0.05",
      RECADO_TEST_BLOCK: BLOCK,
    },
    preload: ["simulators/whatsapp/preload.ts", "tests/faults/block-preload.ts"],
  });
  [web = web, ...workers] = all.servers;
  await all.signUp(web);
  for (const number of NUMBERS) {
    await all.at(web)("POST", "/api/whatsapp/connect", { deviceId: number, connectionName: number });
    const { qr } = await until("a QR code", () =>
      all
        .at(web)<{ qr: string }>("GET", `/api/whatsapp/qr/${number}`)
        .catch(() => null),
    );
    await control.scan({ qr, phone: number });
  }
  await until("connected numbers", async () => (await connectedNumbers()) === NUMBERS.length);
  await balanced();
});
afterAll(async () => {
  process.stdout.write(`${said.map((line) => `  take-over: ${line}\n`).join("")}`);
  await all?.close();
  await simulator.stop();
  fs.rmSync(dataFolder, { recursive: true, force: true });
}, 60_000);

async function connectedNumbers(): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from connection where state = 'connected'`.execute(db);
  return rows[0]?.n ?? 0;
}

type Lane = { id: number; owner: string | null; fence: number; number: string };

const lanes = async () =>
  (await sql<Lane>`select id, owner, fence, device_id as number from connection order by id`.execute(db))
    .rows;

const laneCount = async (server: ProductServer) => {
  const answer = await askHealth(server);
  const { lanes } = (await answer.json()) as { lanes: { owned: number } };
  return lanes.owned;
};

async function balanced(): Promise<void> {
  await until("a share for every worker", async () => {
    const counts = await Promise.all(workers.map(laneCount));
    return counts.every((count) => count > 0) && counts.reduce((sum, n) => sum + n, 0) === NUMBERS.length;
  });
}

async function takenOver(what: string, end: () => Promise<unknown>): Promise<void> {
  const before = await lanes();
  const start = performance.now();
  const ended = end();
  const moved = await until(`${what}: a new owner`, async () => {
    const now = await lanes();
    const changed = now.filter((lane, nth) => lane.owner !== null && lane.owner !== before[nth]?.owner);
    return changed.length > 0 &&
      now.every(({ owner }) => owner !== null) &&
      new Set(now.map((l) => l.owner)).size === 1
      ? changed
      : null;
  });
  const owned = performance.now() - start;
  await until(`${what}: open sockets`, async () => {
    const { accounts } = await control.accounts({});
    return moved.every(({ number }) =>
      accounts.find(({ phone }) => phone === number)?.devices.some(({ online }) => online),
    );
  });
  const open = performance.now() - start;
  said.push(
    `${what}: another owner after ${Math.round(owned)} ms, ${moved.length} socket(s) open after ${Math.round(open)} ms`,
  );
  await ended;
}

let lists = 0;
async function campaigns(people: number): Promise<Map<string, number>> {
  await control.reset({ keepDevices: true });
  await control.faults({ delayAcks: { ms: ACK_MS, count: 1_000_000 } });
  const made = new Map<string, number>();
  for (const { id, number } of await lanes()) {
    const { listId } = await makeList({ database }, { index: lists++, people, base: 5_511_960_000_000 });
    const campaign = await all.at(web)<{ id: number }>("POST", "/api/campaigns", {
      name: `De ${number}`,
      text: "Oi, {nome}!",
      listId,
      connectionId: id,
      intervalS: 0,
      intent: "create",
    });
    made.set(number, campaign.id);
  }
  await until("campaigns under way", async () => (await sentOf(made)) >= 6);
  return made;
}

async function sentOf(made: Map<string, number>): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select sum(sent_count + delivered_count + read_count)::int as n from campaign
    where id = any(${[...made.values()]}::bigint[])`.execute(db);
  return rows[0]?.n ?? 0;
}

async function ended(made: Map<string, number>): Promise<void> {
  const standing = async () => {
    const { rows } = await sql<{
      status: string;
      left: number;
    }>`select c.status, c.pause_reason as cause, c.sending_count + c.waiting_count as left,
        c.total - c.cursor as untouched, k.state, k.state_reason as "connectionCause", k.owner, k.fence
      from campaign c join connection k on k.id = c.connection_id where c.id = any(${[...made.values()]}::bigint[])`.execute(
      db,
    );
    return rows;
  };
  const isOver = async () => (await standing()).every(({ status, left }) => status === "ended" && left === 0);
  await until("the end of the campaigns", isOver, 180_000).catch(async (cause: unknown) => {
    throw new Error(`what stands still: ${JSON.stringify(await standing())}`, { cause });
  });
}

async function expectOneMessageEach(made: Map<string, number>, people: number): Promise<void> {
  for (const [number, id] of made)
    expect(await check(db, control, id, number)).toMatchObject({
      people,
      sent: people,
      duplicated: 0,
      lost: 0,
      wronged: 0,
      withoutState: 0,
      uncertain: 0,
    });
}

test("F25 F39 all processes restart one after the other during campaigns: no duplicates, no losses", async () => {
  const made = await campaigns(PEOPLE);
  for (const [nth, worker] of workers.entries()) {
    await takenOver(`worker ${nth + 1} stopped`, () => worker.stop());
    await worker.start();
  }
  await web.stop();
  await web.start();
  said.push(`${await sentOf(made)} of ${PEOPLE * made.size} sent when all had restarted`);
  await ended(made);
  await expectOneMessageEach(made, PEOPLE);
}, 240_000);

test("F25 F38 after a worker's kill, its successor frozen past the lease wakes and does nothing more", async () => {
  const made = await campaigns(FEW);
  const victim = await busiest();
  await takenOver("worker killed", () => victim.kill9());
  await victim.start();
  const frozen = await busiest();
  expect(frozen).not.toBe(victim);
  await standsStill(made, "worker frozen", {
    stop: () => process.kill(frozen.pid(), "SIGSTOP"),
    wake: () => process.kill(frozen.pid(), "SIGCONT"),
  });
}, 240_000);

test("F38 a worker blocked past its lease with queued sends resumes without sending, writing or claiming finished work", async () => {
  const made = await campaigns(FEW);
  const blocked = await busiest();
  await standsStill(made, "worker blocked", {
    stop() {
      fs.writeFileSync(BLOCK, "");
      process.kill(blocked.pid(), "SIGUSR2");
    },
    wake: () => fs.rmSync(BLOCK, { force: true }),
  });
}, 240_000);

async function standsStill(
  made: Map<string, number>,
  what: string,
  { stop, wake }: { stop: () => void; wake: () => void },
): Promise<void> {
  try {
    await takenOver(what, async () => stop());
    await ended(made);
  } finally {
    wake();
  }
  const before = await ledgers(made);
  await balanced();
  expect(await ledgers(made)).toEqual(before);
  await expectOneMessageEach(made, FEW);
}

async function busiest(): Promise<ProductServer> {
  const counts = await Promise.all(workers.map(laneCount));
  return workers[counts.indexOf(Math.max(...counts))] ?? web;
}

async function ledgers(made: Map<string, number>): Promise<unknown[]> {
  const { rows } =
    await sql`select campaign_id, seq, least(status, 6) as status, tries, ambiguous, fence from delivery
    where campaign_id = any(${[...made.values()]}::bigint[]) order by 1, 2`.execute(db);
  return rows;
}
