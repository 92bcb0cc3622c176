import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { type GatewayPlan, gatewayPlanOf } from "./gateway-plan.ts";
import { runGatewayPlan, tooUncertain } from "./gateway-run.ts";
import { type GatewayWorld, openGatewayWorld } from "./gateway-world.ts";
import { describeKill } from "./plan.ts";

const SEED = 5;
const RUNS = [1, 2, 7, 8];

const { url } = await testDatabase();
let world: GatewayWorld;
beforeAll(async () => {
  world = await openGatewayWorld(url);
});
afterAll(() => world?.close(), 60_000);

const nameOf = ({ kills, weather, intervention }: GatewayPlan) =>
  `${kills.map(describeKill).join(", ")} · ${weather} · ${intervention}`;

for (const index of RUNS) {
  const plan = gatewayPlanOf(SEED, index);
  test(`over a gateway no duplicates, no losses: ${nameOf(plan)}`, { timeout: 360_000 }, async () => {
    const result = await runGatewayPlan(world, SEED, plan);
    expect(result).toMatchObject({
      duplicated: 0,
      lost: 0,
      wronged: 0,
      withoutState: 0,
      writtenToAfterLeaving: 0,
      people: plan.people,
    });
    expect(result.killed).toBeGreaterThan(0);
    // Sent messages are found with or without webhooks; of the others, at most one per crash and ambiguous
    // answer stays uncertain.
    expect(result.found).toBe(result.left);
    expect(tooUncertain(result)).toBe(0);
  });
}
