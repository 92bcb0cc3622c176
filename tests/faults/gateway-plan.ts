import type { FaultRates } from "../../simulators/evolution/faults.ts";
import type { Failpoint } from "../../src/server/base/failpoint.ts";
import { chance } from "./chance.ts";
import { type Files, filesOf } from "./files.ts";
import { betweenParts, drawKills, INTERVENTIONS, type Intervention, type Kill, picker } from "./plan.ts";

export type GatewayWeather =
  | "calm"
  | "answers lost"
  | "mixed"
  | "never taken"
  | "some refused"
  | "gateway down"
  | "socket dropped"
  | "late webhooks"
  | "no webhooks";

export type GatewayPlan = {
  index: number;
  people: number;
  kills: Kill[];
  weather: GatewayWeather;
  intervention: Intervention;
  paced: boolean;
  files: Files;
};

const STEPS: readonly Failpoint[] = [
  "claim_committed",
  "before_write",
  "acknowledged",
  "id_stored",
  "before_record",
  "after_record",
  "before_end",
];
const WEATHERS: readonly GatewayWeather[] = [
  "calm",
  "answers lost",
  "mixed",
  "never taken",
  "some refused",
  "gateway down",
  "socket dropped",
  "late webhooks",
  "no webhooks",
];

/**
 * Deterministic by seed and index; steps and weathers in rotation, some kills at random times, the rest
 * drawn.
 */
export function gatewayPlanOf(seed: number, index: number): GatewayPlan {
  const random = chance(seed * 200_003 + index);
  random();
  const paced = index % 10 === 9;
  const step = STEPS[index % (STEPS.length + 1)];
  const files = filesOf(seed, index);
  return {
    index,
    paced,
    files,
    people: paced ? 4 : 40 + Math.floor(random() * 20),
    kills: betweenParts(drawKills(random, { steps: STEPS, step, paced }), files, index),
    weather: WEATHERS[index % WEATHERS.length] ?? "calm",
    intervention: picker(random)(INTERVENTIONS),
  };
}

/** Evolution API 2.3.7 with Baileys answers a send in 20 to 30 ms at best (measured). */
const ANSWER_MS = 30;

/** Answers without information about a message that went out, as shares of all sends. */
const TAKEN = {
  acceptThenReset: 0.06,
  acceptThenBadGateway: 0.06,
  acceptThenError: 0.06,
  acceptThenHang: 0.02,
  halfJson: 0.04,
  cutBody: 0.04,
  acceptThenHtmlPage: 0.04,
  withoutId: 0.04,
};
const NOT_TAKEN = {
  resetBefore: 0.01,
  badGatewayBefore: 0.01,
  errorBefore: 0.01,
  htmlPage: 0.01,
  hangBefore: 0.01,
};

const FAULTS: Partial<Record<GatewayWeather, Omit<FaultRates, "seed">>> = {
  "answers lost": TAKEN,
  "late webhooks": TAKEN,
  "no webhooks": TAKEN,
  mixed: { ...TAKEN, errorBefore: 0.01, tooMany: 0.03, connectionClosed: 0.03 },
  "never taken": NOT_TAKEN,
};

export function ratesOf(weather: GatewayWeather, seed: number): FaultRates {
  const faults = FAULTS[weather] ?? {};
  const met = Object.values(faults).reduce<number>((sum, share) => sum + Number(share), 0);
  return { seed, ...faults, slow: 1 - met, ms: ANSWER_MS };
}
