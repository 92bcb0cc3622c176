import { afterAll, beforeAll, expect, test } from "vitest";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { testDatabase } from "../support/database.ts";
import { runDevice } from "./device-limits.ts";
import { isLimited } from "./limits.ts";
import { describeKill, planOf } from "./plan.ts";
import { runPlan } from "./run.ts";
import { openWorld, type World } from "./world.ts";

const SEED = 11;
const RUNS = [0, 1, 4, 5, 6, 7];
const LIMITED = 11;

const { url } = await testDatabase();
let world: World;
beforeAll(async () => {
  quietSignal();
  world = await openWorld({ databaseUrl: url });
});
afterAll(() => world?.close(), 60_000);

for (const index of RUNS) {
  const plan = planOf(SEED, index);
  const name = `${plan.kills.map(describeKill).join(", ")} · ${plan.weather} · ${plan.intervention}`;
  test(`no duplicates, no losses, all recipients settled: ${name}`, { timeout: 360_000 }, async () => {
    const result = await runPlan(world, SEED, plan);
    expect(result).toMatchObject({
      duplicated: 0,
      lost: 0,
      wronged: 0,
      withoutState: 0,
      writtenToAfterLeaving: 0,
      people: plan.people,
    });
    expect(result.killed).toBeGreaterThan(0);
    // A cancel may meet claimed people who were perhaps never sent to; all others must be settled.
    if (plan.intervention !== "cancel" && plan.weather !== "some refused") expect(result.uncertain).toBe(0);
  });
}

test("a planned number keeps hours, budget and quota through a time-lock, clock changes and a kill", {
  timeout: 360_000,
}, async () => {
  const plan = planOf(SEED, LIMITED);
  const result = await runDevice(world, SEED, plan);
  expect(isLimited(SEED, LIMITED)).toBe(true);
  expect(result).toMatchObject({
    outsideHours: 0,
    overBudget: 0,
    duplicated: 0,
    lost: 0,
    wronged: 0,
    withoutState: 0,
    writtenToAfterLeaving: 0,
    people: plan.people,
  });
  expect(result.sent).toBeGreaterThan(plan.people / 2);
});
