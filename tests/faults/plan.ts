import type { Failpoint } from "../../src/server/base/failpoint.ts";
import { chance } from "./chance.ts";
import { type Files, filesOf } from "./files.ts";

/** When the server is killed: at the nth occurrence of a step, or after some milliseconds. */
export type Kill = { step: Failpoint; nth: number } | { afterMs: number };

export type Weather =
  | "calm"
  | "acks lost"
  | "acks late"
  | "cut after taking"
  | "cut before taking"
  | "some refused"
  | "sockets cut";

export type Intervention = "nothing" | "pause and resume" | "cancel";

export type Plan = {
  index: number;
  people: number;
  kills: Kill[];
  weather: Weather;
  intervention: Intervention;
  paced: boolean;
  receipts: boolean;
  files: Files;
};

const STEPS: readonly Failpoint[] = [
  "claim_committed",
  "before_write",
  "bytes_written",
  "acknowledged",
  "before_record",
  "after_record",
  "before_end",
];
const WEATHERS: readonly Weather[] = [
  "calm",
  "acks lost",
  "acks late",
  "cut after taking",
  "cut before taking",
  "some refused",
  "sockets cut",
];
export const INTERVENTIONS: readonly Intervention[] = ["nothing", "nothing", "pause and resume", "cancel"];

/**
 * Deterministic by seed and index; steps in rotation, every eighth run killed at random times, the rest
 * drawn.
 */
export function planOf(seed: number, index: number): Plan {
  const random = chance(seed * 100_003 + index);
  random();
  const pick = picker(random);
  const step = STEPS[index % (STEPS.length + 1)];
  const paced = index % 10 === 9;
  const people = paced ? 4 : 20 + Math.floor(random() * 30);
  const kills = drawKills(random, { steps: STEPS, step, paced });
  const files = filesOf(seed, index);
  return {
    index,
    people,
    files,
    kills: betweenParts(kills, files, index),
    weather: pick(WEATHERS),
    intervention: pick(INTERVENTIONS),
    paced,
    receipts: index % 3 !== 0,
  };
}

/** Half of the runs with several messages a person are killed between two of them. */
export function betweenParts(kills: Kill[], { parts }: Files, index: number): Kill[] {
  if (parts === 1 || index % 2 === 1) return kills;
  const step = index % 4 === 0 ? "part_acknowledged" : "part_recorded";
  return [{ step, nth: 1 + (index % 5) }, ...kills.slice(1)];
}

export function picker(random: () => number): <T>(list: readonly T[]) => T {
  return (list) => {
    const one = list[Math.floor(random() * list.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  };
}

export function drawKills(
  random: () => number,
  { steps, step, paced }: { steps: readonly Failpoint[]; step: Failpoint | undefined; paced: boolean },
): Kill[] {
  const once = !paced && (step === "before_end" || step === "claim_committed");
  const nth = once ? 1 : 1 + Math.floor(random() * (paced ? 2 : 6));
  const first: Kill = step ? { step, nth } : { afterMs: Math.floor(random() * 1_500) };
  return random() < 0.3
    ? [first, { step: picker(random)(steps), nth: 1 + Math.floor(random() * 3) }]
    : [first];
}

export function describeKill(kill: Kill): string {
  return "step" in kill ? `${kill.step}:${kill.nth}` : `after ${kill.afterMs} ms`;
}
