import path from "node:path";
import { connectSimulator } from "../simulators/whatsapp/client.ts";
import { connectionsOf, type DeviceAnswer, type DeviceRequest, oneRun, startSimulator } from "./device.ts";
import { benchPostgres } from "./postgres.ts";
import { startWorker } from "./worker.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const PEOPLE = 800;
const TURNS = 4;
const FIRST_PHONE = 5_511_960_000_000;

export const memoryDeviceWorkload: Workload = {
  name: "memory-device",
  async run(bench) {
    const ratios: number[] = [];
    for (let round = 0; round < bench.rounds; round++) ratios.push(await oneDevice(bench));
    bench.goal({ name: "memory-device-last/first", measured: median(ratios), bound: 1.15, kind: "atMost" });
  },
};

async function oneDevice(bench: Bench): Promise<number> {
  const postgres = await benchPostgres();
  const simulator = await startSimulator();
  const [accountId, connectionId] = await connectionsOf(postgres.url);
  const worker = startWorker<DeviceRequest, DeviceAnswer>(path.join(import.meta.dirname, "device-child.ts"), [
    postgres.url,
    simulator.controlUrl,
    accountId,
    String(connectionId),
  ]);
  try {
    const control = connectSimulator(simulator.controlUrl);
    const people = bench.n ?? PEOPLE;
    const held: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const firstPhone = FIRST_PHONE + turn * people;
      const { heldMB = Number.NaN } = await oneRun(control, worker, {
        people,
        firstPhone,
        text: "Oi, {nome}!",
      });
      bench.note({
        workload: "memory",
        variant: `device, ${people * (turn + 1)} people`,
        figures: { heldMB },
      });
      held.push(heldMB);
    }
    return (held.at(-1) ?? Number.NaN) / (held[0] ?? Number.NaN);
  } finally {
    await worker.stop();
    await simulator.stop();
    await postgres.stop();
  }
}
