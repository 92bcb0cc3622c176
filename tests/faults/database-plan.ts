import { chance } from "./chance.ts";
import { picker } from "./plan.ts";

export type Victim = "server" | "backend" | "everything";

export type DatabasePlan = { index: number; people: number; kills: { victim: Victim; afterMs: number }[] };

const VICTIMS: readonly Victim[] = ["server", "everything", "backend", "everything"];

export function databasePlanOf(seed: number, index: number): DatabasePlan {
  const random = chance(seed * 500_009 + index);
  random();
  const first = VICTIMS[index % VICTIMS.length] ?? "server";
  const others = Array.from({ length: 1 + Math.floor(random() * 2) }, () => picker(random)(VICTIMS));
  return {
    index,
    people: 60 + Math.floor(random() * 30),
    kills: [first, ...others].map((victim) => ({ victim, afterMs: 200 + Math.floor(random() * 1_200) })),
  };
}

export const describeDatabasePlan = ({ kills }: DatabasePlan): string =>
  kills.map(({ victim, afterMs }) => `${victim} after ${afterMs} ms`).join(", ");
