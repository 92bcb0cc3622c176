import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { adoptSimulator } from "../../simulators/whatsapp/adopt.ts";
import { verifyStrictly } from "../../simulators/whatsapp/curve.ts";
import { type LocalSimulator, startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import type { SimulatorOptions } from "../../simulators/whatsapp/simulator.ts";

/**
 * One simulator for all Baileys of a test file, with real signature checks. Emptied after each test, which
 * fails if the simulator met something unknown.
 */
export function testSimulator(options: SimulatorOptions = {}): LocalSimulator {
  const running = {} as LocalSimulator;
  quietSignal();
  verifyStrictly();
  beforeAll(async () => {
    Object.assign(running, await startLocalSimulator(options));
    adoptSimulator(running.address);
  });
  afterEach(async () => {
    const { problems } = await running.control.stats({});
    await running.control.reset({});
    expect(problems).toEqual([]);
  });
  afterAll(() => running.stop());
  return running;
}
