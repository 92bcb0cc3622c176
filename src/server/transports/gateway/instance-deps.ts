import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import type { NoteProfile, ReadAccess } from "./access.ts";
import { EVOLUTION_LIMITS, type EvolutionLimits } from "./evolution-client.ts";

export type InstanceTiming = EvolutionLimits & {
  /** Open, at rest or refused to us. */
  steadyMs: number;
  busyMs: number;
  loopMs: number;
  /** Shortest pause, however often the gateway reports changes. */
  pokeMs: number;
  /** After looks without an answer. */
  backoffMs: readonly number[];
  /** Between two code requests. */
  askMs: number;
  /** As Evolution renews them. */
  qrMs: number;
  /** Then a person must ask again. */
  linkMs: number;
  /** A flood counts as a loop only after this long without being open. */
  loopAfterMs: number;
  /** Closed for longer than between two attempts. */
  closedMs: number;
  /** Closed for so long that its gateway will not reconnect it. */
  pushMs: number;
  leasePauseMs: number;
  closeGraceMs: number;
};

export const INSTANCE_TIMING: InstanceTiming = {
  ...EVOLUTION_LIMITS,
  steadyMs: 300_000,
  busyMs: 3_000,
  loopMs: 5_000,
  pokeMs: 500,
  backoffMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  askMs: 2_500,
  qrMs: 45_000,
  linkMs: 600_000,
  loopAfterMs: 15_000,
  closedMs: 5_000,
  pushMs: 30_000,
  leasePauseMs: 500,
  closeGraceMs: 5_000,
};

export type InstanceDeps = {
  db: Db;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  access: ReadAccess;
  noteProfile: NoteProfile;
  clock: Clock;
  random: () => number;
  after?: (ms: number, call: () => void) => () => void;
  log: Logger;
  timing?: Partial<InstanceTiming>;
};
