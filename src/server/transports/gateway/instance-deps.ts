import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import type { NoteProfile, ReadAccess } from "./access.ts";
import { EVOLUTION_LIMITS, type EvolutionLimits } from "./evolution-client.ts";

/** All in milliseconds; tests and fault runs shorten them. */
export type InstanceTiming = EvolutionLimits & {
  /** Between two looks at an instance that is open, at rest or refused to us. */
  steadyMs: number;
  /** … at one that is being linked or reconnects. */
  busyMs: number;
  /** … at one that loops without a way to WhatsApp. */
  loopMs: number;
  /** The shortest time between two looks, however often the gateway says that something changed. */
  pokeMs: number;
  /** Waits after looks that found nobody. */
  backoffMs: readonly number[];
  /** Between two questions for a code. */
  askMs: number;
  /** Life of a QR code (Evolution renews them at this pace). */
  qrMs: number;
  /** How long QR codes are asked for before a person has to ask anew. */
  linkMs: number;
  /** So long it must not have been open before a flood of changes counts as a loop. */
  loopAfterMs: number;
  /** Closed for so long without a break, and not only for a moment between two attempts. */
  closedMs: number;
  /** … and so long that its gateway will not bring it back by itself. */
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

/** What instances are built with. */
export type InstanceDeps = {
  db: Db;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  access: ReadAccess;
  noteProfile: NoteProfile;
  clock: Clock;
  /** A number in [0, 1), for the spread of attempts. */
  random: () => number;
  after?: (ms: number, call: () => void) => () => void;
  log: Logger;
  timing?: Partial<InstanceTiming>;
};
