import { chance, picker } from "./plan.ts";

/** Who dies, by SIGKILL: PostgreSQL's first process, one of those that serve a connection, or PostgreSQL and the product at once. */
export type Victim = "server" | "backend" | "everything";

export type DatabasePlan = { index: number; people: number; kills: { victim: Victim; afterMs: number }[] };

const VICTIMS: readonly Victim[] = ["server", "everything", "backend", "everything"];

/** The run with this number: every victim is met in turn, and two or three die in a run. */
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

/** One line for the table. */
export const describeDatabasePlan = ({ kills }: DatabasePlan): string =>
  kills.map(({ victim, afterMs }) => `${victim} after ${afterMs} ms`).join(", ");
