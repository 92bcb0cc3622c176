import { setTimeout as pause } from "node:timers/promises";
import { chance } from "./chance.ts";
import type { Days, Moment } from "./days.ts";

/** Real time. */
const NIGHT_MS = 2_000;
const MORNING_MS = 350;
const AFTERNOON_MS = 1_000;

export type Restrictions = {
  lock(): Promise<void>;
  unlock(): Promise<void>;
  quota(left: number | null): Promise<void>;
};

export type Reached = { at: readonly number[]; counts: boolean };

export type LimitsVerdict = { outsideHours: number; overBudget: number };

export const WITHIN: LimitsVerdict = { outsideHours: 0, overBudget: 0 };

/** Drawn, so that each step and weather meets a plan. */
export function isLimited(seed: number, index: number): boolean {
  const random = chance(seed * 300_007 + index);
  random();
  return random() < 0.5;
}

const budgetOf = (people: number) => Math.max(3, Math.ceil(people * 0.3));

/** What surely left outside the hours, or beyond a budget. */
export function judge(
  reached: readonly Reached[],
  budget: number,
  momentsBefore: (real: number) => Moment[],
): LimitsVerdict {
  const perDay = new Map<number, number>();
  let outsideHours = 0;
  for (const { at, counts } of reached) {
    if (at.some((real) => !momentsBefore(real).some(({ isOpen }) => isOpen))) outsideHours += 1;
    const [day, ...others] = new Set(momentsBefore(at[0] ?? 0).map((moment) => moment.day));
    if (counts && day !== undefined && others.length === 0) perDay.set(day, (perDay.get(day) ?? 0) + 1);
  }
  const beyond = [...perDay.values()].map((count) => Math.max(0, count - budget));
  return { outsideHours, overBudget: beyond.reduce((sum, one) => sum + one, 0) };
}

type Limited = {
  days: Days;
  people: number;
  restrictions: Restrictions | null;
  reached: () => Promise<Reached[]>;
};

export async function withLimits<R extends object>(
  { days, people, restrictions, reached }: Limited,
  run: () => Promise<R>,
): Promise<R & LimitsVerdict> {
  const budget = budgetOf(people);
  await days.begin(budget);
  const over = { is: false };
  const running = run().finally(() => {
    over.is = true;
  });
  // Awaited below.
  running.catch(() => undefined);
  try {
    for (let nth = 0; !over.is; nth++) await live(days, nth, restrictions);
    const result = await running;
    return { ...result, ...judge(await reached(), budget, (real) => days.momentsBefore(real)) };
  } finally {
    await days.end();
  }
}

async function live(days: Days, nth: number, restrictions: Restrictions | null): Promise<void> {
  const isShort = nth === 1 && restrictions !== null;
  if (nth > 0) {
    await days.night();
    if (isShort) await restrictions.quota(2);
    await pause(NIGHT_MS);
    await days.morning();
  }
  await pause(MORNING_MS);
  if (nth === 0 && restrictions !== null) {
    await restrictions.lock();
    await pause(MORNING_MS);
    await restrictions.unlock();
  }
  if (isShort) await restrictions.quota(null);
  if (nth === 2) await days.putClockBack();
  await pause(AFTERNOON_MS);
  await days.evening();
}
