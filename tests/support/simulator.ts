import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { adoptSimulator } from "../../simulators/whatsapp/adopt.ts";
import { verifyStrictly } from "../../simulators/whatsapp/curve.ts";
import { type LocalSimulator, startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import type { SimulatorOptions } from "../../simulators/whatsapp/simulator.ts";

/**
 * A simulator for this test file, used by every Baileys in it, with signatures really checked. It is emptied
 * after each test, which fails when the simulator met something it does not understand.
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
