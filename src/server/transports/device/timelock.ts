import type { AuthenticationCreds, ConnectionState as BaileysUpdate, WASocket } from "baileys";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { type Screen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";

type Report = NonNullable<BaileysUpdate["reachoutTimeLock"]>;

type TimelockDeps = { screen: Screen; clock: Clock; log: Logger };

/**
 * WhatsApp's reports may be old, so it is queried before a restriction ends early: a message sent during one
 * prolongs it. Baileys emits the answer as another event.
 */
export class Timelocks {
  readonly #deps: TimelockDeps;
  #asking = false;
  /** A refusal reads its own answer, which is emitted here too. */
  #askedByRefusal = 0;

  constructor(deps: TimelockDeps) {
    this.#deps = deps;
  }

  /** Null: no answer. A denial after a refusal ends no restriction. */
  async ask(sock: WASocket): Promise<Report | null> {
    this.#askedByRefusal += 1;
    try {
      return await sock.fetchAccountReachoutTimelock();
    } catch (error) {
      this.#deps.log.warn({ err: error }, "WhatsApp did not say whether the number is restricted");
      return null;
    } finally {
      this.#askedByRefusal -= 1;
    }
  }

  reported(sock: WASocket, reported: Report): void {
    if (this.#askedByRefusal > 0) return;
    if (this.#asking || !this.#endsSooner(reported)) {
      this.#show(reported);
      return;
    }
    this.#asking = true;
    sock
      .fetchAccountReachoutTimelock()
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, "WhatsApp did not say whether the number is still restricted");
        this.#show(reported);
      })
      .finally(() => {
        this.#asking = false;
      });
  }

  #show({ isActive, timeEnforcementEnds }: Report): void {
    const { screen, clock } = this.#deps;
    if (!isActive) screen.timelock(null);
    else if (timeEnforcementEnds) screen.timelock({ until: timeEnforcementEnds, known: true });
    else if (!screen.restriction())
      screen.timelock({ until: new Date(clock.now().getTime() + UNKNOWN_LOCK_MS), known: false });
  }

  #endsSooner({ isActive, timeEnforcementEnds }: Report): boolean {
    const stands = this.#deps.screen.restriction();
    if (!stands) return false;
    return !isActive || (timeEnforcementEnds !== undefined && timeEnforcementEnds < stands.until);
  }
}

const Kept = z.object({
  timelock: z.object({ until: z.number(), known: z.boolean(), everybody: z.boolean().optional() }).nullable(),
});

/**
 * Stored and deleted with the pairing. Screens show an outage instead, so a process starting then would send
 * into the restriction, or restart one without an end.
 */
export function keepTimelock(creds: AuthenticationCreds, lock: Timelock | null): void {
  const kept: z.input<typeof Kept> = {
    timelock: lock && { ...lock, until: lock.until.getTime() },
  };
  creds.additionalData = kept;
}

/** Null: none; undefined: never reported, or stored by an older version. */
export function keptTimelock(creds: AuthenticationCreds | null): Timelock | null | undefined {
  const kept = Kept.safeParse(creds?.additionalData);
  if (!kept.success) return undefined;
  const { timelock } = kept.data;
  return timelock && { ...timelock, until: new Date(timelock.until), everybody: timelock.everybody === true };
}
