import type { Failpoint } from "../../src/server/base/failpoint.ts";

/** Where the server is killed: at a named step of a send (the nth time it is reached), or after so many milliseconds. */
export type Kill = { step: Failpoint; nth: number } | { afterMs: number };

/** What WhatsApp does to the messages of a run. */
export type Weather =
  | "calm"
  | "acks lost"
  | "acks late"
  | "cut after taking"
  | "cut before taking"
  | "some refused"
  | "sockets cut";

/** What a person does to the campaign while it runs. */
export type Submission = "nothing" | "pause and resume" | "cancel";

export type Plan = {
  index: number;
  people: number;
  kills: Kill[];
  weather: Weather;
  deed: Submission;
  paced: boolean;
  /** Whether the phones report what reached them. */
  receipts: boolean;
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
export const DEEDS: readonly Submission[] = ["nothing", "nothing", "pause and resume", "cancel"];

/** The same numbers for the same seed, so that a run can be repeated. */
export function chance(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 4_294_967_296;
  };
}

/** The run with this number: every step is met in turn, every eighth run is killed at random moments, the rest is drawn. */
export function planOf(seed: number, index: number): Plan {
  const random = chance(seed * 100_003 + index);
  random();
  const pick = picker(random);
  const step = STEPS[index % (STEPS.length + 1)];
  const paced = index % 10 === 9;
  const people = paced ? 4 : 20 + Math.floor(random() * 30);
  const kills = drawKills(random, { steps: STEPS, step, paced });
  return {
    index,
    people,
    kills,
    weather: pick(WEATHERS),
    deed: pick(DEEDS),
    paced,
    receipts: index % 3 !== 0,
  };
}

/** Draws one of a list. */
export function picker(random: () => number): <T>(list: readonly T[]) => T {
  return (list) => {
    const one = list[Math.floor(random() * list.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  };
}

/** A kill at the step, the nth time, or at a random moment where there is none; and sometimes the one that takes over dies as well. */
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

/** One line for the table. */
export function describeKill(kill: Kill): string {
  return "step" in kill ? `${kill.step}:${kill.nth}` : `after ${kill.afterMs} ms`;
}
