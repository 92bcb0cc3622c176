import { databasePlanOf } from "./database-plan.ts";
import { runDatabasePlan } from "./database-run.ts";
import { runDevice } from "./device-limits.ts";
import { openDiskWorld, runDisk } from "./disk-run.ts";
import { runGateway } from "./gateway-limits.ts";
import { gatewayPlanOf } from "./gateway-plan.ts";
import { tooUncertain } from "./gateway-run.ts";
import { openGatewayWorld } from "./gateway-world.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import { describeKill, type Kill, planOf } from "./plan.ts";
import { openProcessesWorld, runProcesses } from "./processes-run.ts";
import { wiresPlanOf } from "./wires-plan.ts";
import { DEVICE_WIRES, GATEWAY_WIRES, openWiredWorld, runGatewayWire, runWires } from "./wires-run.ts";
import { openWorld } from "./world.ts";

export type OpenKind = {
  run(seed: number, index: number): Promise<Outcome>;
  output(): string;
  close(): Promise<void>;
};

/** Timeouts as in production: the measured times are what an operator would see. */
const AS_IN_USE = "1";

export const KINDS: Readonly<Record<string, () => Promise<OpenKind>>> = {
  async device() {
    const world = await openWorld();
    return {
      output: world.product.output,
      close: world.close,
      async run(seed, index) {
        const plan = planOf(seed, index);
        const { killed, ...verdict } = await runDevice(world, seed, plan);
        return { ...NOTHING, ...verdict, kills: killed, plan: lineOf(plan) };
      },
    };
  },
  async gateway() {
    const world = await openGatewayWorld();
    return {
      output: world.product.output,
      close: world.close,
      async run(seed, index) {
        const plan = gatewayPlanOf(seed, index);
        const result = await runGateway(world, seed, plan);
        return {
          ...NOTHING,
          ...result,
          kills: result.killed,
          plan: lineOf(plan),
          tooUncertain: tooUncertain(result),
        };
      },
    };
  },
  async database() {
    const world = await openWorld({ timeScale: AS_IN_USE });
    return {
      output: world.product.output,
      close: world.close,
      run: (seed, index) => runDatabasePlan(world, seed, databasePlanOf(seed, index)),
    };
  },
  async wires() {
    const world = await openWiredWorld();
    return {
      output: world.product.output,
      close: world.close,
      run: (seed, index) => runWires(world, seed, wiresPlanOf(seed, index, DEVICE_WIRES)),
    };
  },
  async "gateway-wire"() {
    const world = await openGatewayWorld();
    return {
      output: world.product.output,
      close: world.close,
      run: (seed, index) => runGatewayWire(world, seed, wiresPlanOf(seed, index, GATEWAY_WIRES)),
    };
  },
  async processes() {
    const world = await openProcessesWorld();
    return {
      output: world.output,
      close: world.close,
      run: (seed, index) => runProcesses(world, seed, index),
    };
  },
  async disk() {
    const world = await openDiskWorld();
    return { ...world, run: () => runDisk(world) };
  },
};

const lineOf = ({
  kills,
  weather,
  intervention,
}: {
  kills: readonly Kill[];
  weather: string;
  intervention: string;
}) => `${kills.map(describeKill).join(", ")} · ${weather} · ${intervention}`;
