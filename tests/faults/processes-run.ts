import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import pino from "pino";
import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { type Database, openDatabase } from "../../src/server/db/client.ts";
import { type Processes, startProcesses } from "../support/processes.ts";
import type { ProductServer } from "../support/server.ts";
import { chance } from "./chance.ts";
import { check } from "./check.ts";
import { makeList, until } from "./installation.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import { openOutsideDatabase } from "./outside-database.ts";
import { picker } from "./plan.ts";
import { PHONES, pairDevice, TIME_SCALE } from "./world.ts";

const NUMBERS = ["5511940000001", "5511940000002"] as const;
const ACK_MS = 100;
const PEOPLE = 60;
const FROZEN_MS = 7_500;

type End = "killed" | "stopped" | "frozen";

export type ProcessesWorld = {
  all: Processes;
  database: Database;
  control: Control;
  output(): string;
  close(): Promise<void>;
};

export async function openProcessesWorld(): Promise<ProcessesWorld> {
  const outside = await openOutsideDatabase();
  const simulator = await startLocalSimulator({});
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-several-"));
  const all = await startProcesses({
    databaseUrl: outside.direct,
    dataFolder,
    parts: ["web", "worker", "worker"],
    env: { RECADO_SIMULATOR: simulator.controlUrl, RECADO_TIME_SCALE: TIME_SCALE },
    preload: ["simulators/whatsapp/preload.ts"],
  });
  const database = openDatabase(outside.direct, { log: pino({ level: "silent" }), max: 4 });
  const [web] = all.servers;
  if (!web) throw new Error("no process");
  await all.signUp(web);
  for (const number of NUMBERS)
    await pairDevice({ call: all.at(web), control: simulator.control }, number, number);
  return {
    all,
    database,
    control: simulator.control,
    output: () => all.servers.map((server) => server.output()).join("\n"),
    async close() {
      await all.close();
      await database.close();
      await simulator.stop();
      await outside.close();
      fs.rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

export async function runProcesses(world: ProcessesWorld, seed: number, index: number): Promise<Outcome> {
  const { all, database, control } = world;
  const random = chance(seed * 700_001 + index);
  random();
  const pick = picker(random);
  const ends = Array.from({ length: 2 }, (_, nth) => ({
    end:
      nth === 0
        ? ((["killed", "stopped", "frozen"] as const)[index % 3] ?? "killed")
        : pick(["killed", "stopped"] as const),
    worker: 1 + Math.floor(random() * 2),
    afterMs: Math.floor(random() * 1_500),
  }));
  await control.reset({ keepDevices: true });
  await control.faults({ delayAcks: { ms: ACK_MS, count: 1_000_000 } });
  const made = await makeCampaigns(world, index);
  for (const { end, worker, afterMs } of ends) {
    await pause(afterMs);
    const server = all.servers[worker];
    if (server) await endAndStart(server, end);
  }
  await until("the end of the campaigns", () => areOver(database, [...made.values()]), 180_000);
  const verdicts = await Promise.all([...made].map(([from, id]) => check(database.db, control, id, from)));
  const sum = (of: (verdict: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((total, verdict) => total + of(verdict), 0);
  return {
    ...NOTHING,
    plan: ends.map(({ end, worker, afterMs }) => `worker ${worker} ${end} after ${afterMs} ms`).join(", "),
    kills: ends.length,
    people: sum((one) => one.people),
    sent: sum((one) => one.sent),
    duplicated: sum((one) => one.duplicated),
    lost: sum((one) => one.lost),
    wronged: sum((one) => one.wronged),
    withoutState: sum((one) => one.withoutState),
    uncertain: sum((one) => one.uncertain),
  };
}

async function endAndStart(server: ProductServer, end: End): Promise<void> {
  if (end === "frozen") {
    process.kill(server.pid(), "SIGSTOP");
    await pause(FROZEN_MS);
    process.kill(server.pid(), "SIGCONT");
    return;
  }
  await (end === "killed" ? server.kill9() : server.stop());
  await server.start();
}

async function makeCampaigns({ all, database }: ProcessesWorld, index: number): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  const [web] = all.servers;
  if (!web) throw new Error("no process");
  const { rows } = await sql<{ id: number; number: string }>`select id, device_id as number from connection
    order by id`.execute(database.db);
  for (const [nth, { id: connectionId, number }] of rows.entries()) {
    const place = { index: index * NUMBERS.length + nth, people: PEOPLE, base: PHONES };
    const { listId } = await makeList({ database }, place);
    const campaign = await all.at(web)<{ id: number }>("POST", "/api/campaigns", {
      name: `De ${number}`,
      text: "Oi, {nome}!",
      listId,
      connectionId,
      intervalS: 0,
      intent: "create",
    });
    made.set(number, campaign.id);
  }
  return made;
}

async function areOver({ db }: Database, ids: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from campaign
    where id = any(${ids}::bigint[]) and status = 'ended' and sending_count + waiting_count = 0`.execute(db);
  return rows[0]?.n === ids.length;
}
