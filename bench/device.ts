import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import { sql } from "kysely";
import pino from "pino";
import { connectSimulator } from "../simulators/whatsapp/client.ts";
import type { Control } from "../simulators/whatsapp/control-answers.ts";
import { openDatabase } from "../src/server/db/client.ts";
import { makeAccount, makeConnection } from "../tests/support/sending.ts";
import { benchPostgres } from "./postgres.ts";
import { startWorker, type Worker } from "./worker.ts";
import { type Bench, median, type Workload } from "./workload.ts";

export type DeviceRequest = { people: number; firstPhone: number; text: string };
export type DeviceAnswer = { phone: string; seconds: number; cpuS: number; heldMB?: number };

const PEOPLE = 400;
const TEXT = `Oi, {nome}! ${"x".repeat(180)}`;
const SIDES = ["bare", "lane"] as const;
type Side = (typeof SIDES)[number];
/** Separate people per side: neither finds addresses that the other has cached. */
const FIRST: Record<Side, number> = { bare: 5_511_970_000_000, lane: 5_511_980_000_000 };
const LABELS: Record<Side, string> = { bare: "bare Baileys", lane: "device lane" };

export const deviceWorkload: Workload = {
  name: "dispatch-device",
  async run(bench) {
    const postgres = await benchPostgres();
    const simulator = await startSimulator();
    const [accountId, owned, bare] = await connectionsOf(postgres.url);
    const startSide = (file: string, connectionId: number) =>
      startWorker<DeviceRequest, DeviceAnswer>(path.join(import.meta.dirname, file), [
        postgres.url,
        simulator.controlUrl,
        accountId,
        String(connectionId),
      ]);
    const workers = {
      bare: startSide("bare-child.ts", bare),
      lane: startSide("device-child.ts", owned),
    };
    try {
      await rounds(bench, connectSimulator(simulator.controlUrl), workers);
    } finally {
      await Promise.all(Object.values(workers).map((worker) => worker.stop()));
      await simulator.stop();
      await postgres.stop();
    }
  },
};

export async function connectionsOf(url: string): Promise<[string, number, number]> {
  const database = openDatabase(url, { log: pino({ level: "warn" }), max: 1 });
  const accountId = await makeAccount(database.db);
  const owned = await makeConnection(database.db, accountId);
  const bare = await makeConnection(database.db, accountId);
  await sql`update connection set kind = 'instance' where id = ${bare}`.execute(database.db);
  await database.close();
  return [accountId, owned, bare];
}

export async function startSimulator() {
  const main = path.join(import.meta.dirname, "../simulators/main.ts");
  const child = spawn(process.execPath, [main, "--no-decrypt", "--no-content"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  const lines = readline.createInterface({ input: child.stdout });
  const [first] = (await once(lines, "line")) as [string];
  const { controlUrl } = JSON.parse(first) as { controlUrl: string };
  return {
    controlUrl,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

type Workers = Record<Side, Worker<DeviceRequest, DeviceAnswer>>;

async function rounds(bench: Bench, control: Control, workers: Workers): Promise<void> {
  const people = Math.min(bench.n ?? PEOPLE, PEOPLE);
  const ratios: Record<string, number[]> = { new: [], known: [] };
  const limits: Record<string, number[]> = { new: [], known: [] };
  for (let round = -1; round < bench.rounds; round++) {
    for (const met of ["new", "known"]) {
      const perS = { bare: 0, lane: 0 };
      for (const side of SIDES) {
        const firstPhone = FIRST[side] + (round + 1) * people;
        const answer = await oneRun(control, workers[side], { people, firstPhone, text: TEXT });
        perS[side] = people / answer.seconds;
        const figures = { people, perS: perS[side], ourUs: (answer.cpuS / people) * 1e6 };
        if (round >= 0) bench.note({ workload: "dispatch", variant: `${LABELS[side]}, ${met}`, figures });
      }
      if (round < 0) continue;
      const ratio = perS.lane / perS.bare;
      ratios[met]?.push(ratio);
      limits[met]?.push(perS.bare);
      bench.note({ workload: "dispatch", variant: `lane / bare, ${met}`, figures: { ratio } });
    }
  }
  for (const [met, its] of Object.entries(ratios))
    bench.goal({
      name: `device-${met}-people/baileys`,
      measured: median(its),
      bound: 0.85,
      kind: "atLeast",
      limits: limits[met] ?? [],
    });
}

export async function oneRun(
  control: Control,
  worker: Worker<DeviceRequest, DeviceAnswer>,
  request: DeviceRequest,
): Promise<DeviceAnswer> {
  await control.reset({ keepDevices: true });
  const answer = await worker.ask(request);
  const got = new Map<string, number>();
  for (let offset = 0; ; offset += 1_000) {
    const { messages } = await control.messages({ from: answer.phone, offset });
    for (const { to, shown, accepted } of messages) if (shown) got.set(to, (got.get(to) ?? 0) + accepted);
    if (messages.length < 1_000) break;
  }
  const twice = [...got.values()].filter((times) => times > 1).length;
  if (got.size !== request.people || twice > 0)
    throw new Error(`${request.people - got.size} people missing, ${twice} got more than one`);
  return answer;
}
