import { OPT_OUT_CONFIRMATION } from "../../src/contract/error-messages.ts";
import { ClockDays } from "./days.ts";
import { partOf } from "./files.ts";
import {
  isLimited,
  type LimitsVerdict,
  type Reached,
  type Restrictions,
  WITHIN,
  withLimits,
} from "./limits.ts";
import type { Plan } from "./plan.ts";
import { ProductClock } from "./product-clock.ts";
import { type Result, runPlan } from "./run.ts";
import { ON_ITS_WAY_MS } from "./spans.ts";
import { DEVICE, type World } from "./world.ts";

const REFUSED = 463;
const LOCK_S = 3_600;

export async function runDevice(world: World, seed: number, plan: Plan): Promise<Result & LimitsVerdict> {
  if (!isLimited(seed, plan.index)) return { ...(await runPlan(world, seed, plan)), ...WITHIN };
  const quota = new QuotaOfDevice(world);
  const clock = new ProductClock(world);
  const result = await withLimits(
    {
      days: new ClockDays(world.database.db, clock),
      people: plan.people,
      restrictions: { ...locksOf(world, clock), quota: (left) => quota.set(left) },
      reached: () => reachedBy(world),
    },
    () => runPlan(world, seed, plan),
  );
  return { ...result, overBudget: result.overBudget + (await quota.exceeded()) };
}

const locksOf = ({ control }: World, clock: ProductClock): Pick<Restrictions, "lock" | "unlock"> => ({
  async lock() {
    const until = Math.ceil(clock.now() / 1_000) + LOCK_S;
    await control.timelock({ phone: DEVICE, until, notify: "also" });
  },
  async unlock() {
    await control.timelock({ phone: DEVICE, until: null, notify: "also" });
  },
});

class QuotaOfDevice {
  readonly #world: World;
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  async set(left: number | null): Promise<void> {
    const total = left ?? 100_000;
    await this.#world.control.quota({ phone: DEVICE, total, notify: true });
    if (left === null) this.#until = Date.now();
    else this.#from = Date.now() + ON_ITS_WAY_MS;
  }

  async exceeded(): Promise<number> {
    const { messages } = await this.#world.control.messages({ from: DEVICE, limit: 100_000 });
    const tried = messages.filter(({ refusedWith, firstAt }) => {
      const at = Date.parse(firstAt);
      return refusedWith === REFUSED && at >= this.#from && at < this.#until;
    });
    return tried.length;
  }
}

async function reachedBy({ control }: World): Promise<Reached[]> {
  const { messages } = await control.messages({ from: DEVICE, limit: 100_000 });
  // The messages that follow the first at once are part of its conversation.
  const isFirst = ({ text, file }: (typeof messages)[number]) =>
    text !== OPT_OUT_CONFIRMATION && (partOf(text, file?.fileName ?? null)?.part ?? 0) === 0;
  return messages.filter(isFirst).map(({ firstAt, lastAt, refusedWith }) => ({
    at: [Date.parse(firstAt), Date.parse(lastAt)],
    counts: refusedWith === null,
  }));
}
