import type { FaultRates } from "../../simulators/evolution/faults.ts";
import type { Failpoint } from "../../src/server/base/failpoint.ts";
import { chance, DEEDS, drawKills, type Kill, picker, type Submission } from "./plan.ts";

/** What goes wrong between us, the gateway and WhatsApp in a run. */
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
  deed: Submission;
  paced: boolean;
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

/** The run with this number: every step and every weather is met in turn, some runs are killed at random moments, the rest is drawn. */
export function gatewayPlanOf(seed: number, index: number): GatewayPlan {
  const random = chance(seed * 200_003 + index);
  random();
  const paced = index % 10 === 9;
  const step = STEPS[index % (STEPS.length + 1)];
  return {
    ...{ index, paced },
    people: paced ? 4 : 40 + Math.floor(random() * 20),
    kills: drawKills(random, { steps: STEPS, step, paced }),
    weather: WEATHERS[index % WEATHERS.length] ?? "calm",
    deed: picker(random)(DEEDS),
  };
}

/** How long a real gateway takes to answer a send: 20 to 30 ms at best (measured on Evolution API 2.3.7 with Baileys). */
const ANSWER_MS = 30;

/** Answers that tell nothing of a message that went out, as shares of all sends. */
const TAKEN = {
  ...{ acceptThenReset: 0.06, acceptThenBadGateway: 0.06, acceptThenError: 0.06, acceptThenHang: 0.02 },
  ...{ halfJson: 0.04, cutBody: 0.04, acceptThenHtmlPage: 0.04, withoutId: 0.04 },
};
/** … and of one that was never taken. */
const NOT_TAKEN = {
  ...{ resetBefore: 0.01, badGatewayBefore: 0.01, errorBefore: 0.01, htmlPage: 0.01, hangBefore: 0.01 },
};

const FAULTS: Partial<Record<GatewayWeather, Omit<FaultRates, "seed">>> = {
  "answers lost": TAKEN,
  "late webhooks": TAKEN,
  "no webhooks": TAKEN,
  mixed: { ...TAKEN, errorBefore: 0.01, tooMany: 0.03, connectionClosed: 0.03 },
  "never taken": NOT_TAKEN,
};

/** What sends meet; whichever meet nothing are answered as late as by a real gateway. */
export function ratesOf(weather: GatewayWeather, seed: number): FaultRates {
  const faults = FAULTS[weather] ?? {};
  const met = Object.values(faults).reduce<number>((sum, share) => sum + Number(share), 0);
  return { seed, ...faults, slow: 1 - met, ms: ANSWER_MS };
}
