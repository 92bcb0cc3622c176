import { PlanDays } from "./days.ts";
import { partOf } from "./files.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { type GatewayResult, runGatewayPlan } from "./gateway-run.ts";
import type { GatewayWorld } from "./gateway-world.ts";
import { isLimited, type LimitsVerdict, type Reached, WITHIN, withLimits } from "./limits.ts";
import { ProductClock } from "./product-clock.ts";

/** Fewer than the breaker judges. */
const PEOPLE_MOST = 45;

export async function runGateway(
  world: GatewayWorld,
  seed: number,
  drawn: GatewayPlan,
): Promise<GatewayResult & LimitsVerdict> {
  if (!isLimited(seed, drawn.index)) return { ...(await runGatewayPlan(world, seed, drawn)), ...WITHIN };
  const plan = { ...drawn, people: Math.min(drawn.people, PEOPLE_MOST) };
  return withLimits(
    {
      days: new PlanDays(world.database.db, new ProductClock(world)),
      people: plan.people,
      restrictions: null,
      reached: async () => reachedBy(world, plan),
    },
    () => runGatewayPlan(world, seed, plan),
  );
}

/** Those that follow it at once are part of its conversation. */
const isFirst = (found: ReturnType<typeof partOf>, index: number): boolean =>
  found?.index === index && found.part === 0;

const reachedBy = ({ gateway: { world } }: GatewayWorld, { index }: GatewayPlan): Reached[] =>
  world.accepted
    .filter(({ text, fileName }) => isFirst(partOf(text, fileName), index))
    .map(({ askedAt }) => ({ at: [askedAt], counts: true }));
