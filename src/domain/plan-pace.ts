import type { NumberPlan, Range } from "./number-plan.ts";

/** What a number sent for campaigns until now; all in epoch or all in monotonic milliseconds. */
export type PlanUse = {
  lastAt: number | null;
  lastColdAt: number | null;
  /** Messages since the last rest. */
  inARow: number;
  restsUntil: number | null;
};

export const UNUSED: PlanUse = { lastAt: null, lastColdAt: null, inARow: 0, restsUntil: null };

/** Shares of the three ranges, each in [0, 1). */
export type Drawn = { warm: number; cold: number; rest: number };

const MINUTE_MS = 60_000;

const within = ({ least, most }: Range, share: number, unitMs: number) =>
  (least + (most - least) * share) * unitMs;

/** When the next message may leave: of any kind, and one that begins a conversation. */
export function dueOf(plan: NumberPlan, use: PlanUse, drawn: Drawn): { warm: number; cold: number } {
  const rested = use.restsUntil ?? Number.NEGATIVE_INFINITY;
  const after = (last: number | null, gap: number) => (last === null ? Number.NEGATIVE_INFINITY : last + gap);
  const warm = Math.max(rested, after(use.lastAt, within(plan.warmGapS, drawn.warm, 1000)));
  const cold = Math.max(warm, after(use.lastColdAt, within(plan.coldGapS, drawn.cold, 1000)));
  return { warm, cold };
}

/** A pause as long as a rest counts as one. */
export function afterMessage(
  plan: NumberPlan,
  use: PlanUse,
  { at, cold, drawn }: { at: number; cold: boolean; drawn: Drawn },
): PlanUse {
  const lastColdAt = cold ? at : use.lastColdAt;
  const { rest } = plan;
  if (rest === null) return { lastAt: at, lastColdAt, inARow: 0, restsUntil: null };
  const hasRested = use.lastAt !== null && at - use.lastAt >= rest.minutes.least * MINUTE_MS;
  const inARow = (hasRested ? 0 : use.inARow) + 1;
  if (inARow < rest.after) return { lastAt: at, lastColdAt, inARow, restsUntil: null };
  return { lastAt: at, lastColdAt, inARow: 0, restsUntil: at + within(rest.minutes, drawn.rest, MINUTE_MS) };
}
