import type { AuthenticationCreds, ConnectionState as BaileysUpdate, WASocket } from "baileys";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { type Screen, type Timelock, UNKNOWN_LOCK_MS } from "./screen.ts";

type Told = NonNullable<BaileysUpdate["reachoutTimeLock"]>;

export type Timelocks = {
  /** Takes in what Baileys tells of the restriction. */
  told(sock: WASocket, told: Told): void;
  /**
   * Asks WhatsApp after a refusal; null: it did not answer. That it denies a restriction ends none: it has just refused a message for one.
   */
  ask(sock: WASocket): Promise<Told | null>;
};

type TimelockDeps = { screen: Screen; clock: Clock; log: Logger };

/**
 * Follows what WhatsApp tells of the restriction on new conversations. What it tells unasked may be older than its last answer (kept while
 * we were away, or in Baileys' queue): before a restriction ends sooner for that, WhatsApp is asked, because every message sent into one
 * prolongs it. Baileys emits the answer as one more such event.
 */
export function followTimelock({ screen, clock, log }: TimelockDeps): Timelocks {
  let asking = false;
  /** A refusal asks: its answer is read there, and emitted here as well. */
  let askedByRefusal = 0;

  function show({ isActive, timeEnforcementEnds }: Told): void {
    if (!isActive) screen.timelock(null);
    else if (timeEnforcementEnds) screen.timelock({ until: timeEnforcementEnds, known: true });
    else if (!screen.restriction())
      screen.timelock({ until: new Date(clock.now().getTime() + UNKNOWN_LOCK_MS), known: false });
  }

  function endsSooner({ isActive, timeEnforcementEnds }: Told): boolean {
    const stands = screen.restriction();
    if (!stands) return false;
    return !isActive || (timeEnforcementEnds !== undefined && timeEnforcementEnds < stands.until);
  }

  async function ask(sock: WASocket): Promise<Told | null> {
    askedByRefusal += 1;
    try {
      return await sock.fetchAccountReachoutTimelock();
    } catch (error) {
      log.warn({ err: error }, "WhatsApp did not say whether the number is restricted");
      return null;
    } finally {
      askedByRefusal -= 1;
    }
  }

  function told(sock: WASocket, told: Told): void {
    if (askedByRefusal > 0) return;
    if (asking || !endsSooner(told)) {
      show(told);
      return;
    }
    asking = true;
    sock
      .fetchAccountReachoutTimelock()
      .catch((error: unknown) => {
        log.warn({ err: error }, "WhatsApp did not say whether the number is still restricted");
        show(told);
      })
      .finally(() => {
        asking = false;
      });
  }

  return { ask, told };
}

const Kept = z.object({
  timelock: z.object({ until: z.number(), known: z.boolean(), everybody: z.boolean().optional() }).nullable(),
});

/**
 * Keeps a restriction among what belongs to the pairing, and goes with it. What the screens show is no place for it: while WhatsApp is away
 * they say that, and a process that began then would send into the restriction, or think that one without an end began anew.
 */
export function keepTimelock(creds: AuthenticationCreds, lock: Timelock | null): void {
  const kept: z.input<typeof Kept> = {
    timelock: lock && { ...lock, until: lock.until.getTime() },
  };
  creds.additionalData = kept;
}

/** Null: there was none when it was last heard of one; undefined: never heard of one, or kept by an older version. */
export function keptTimelock(creds: AuthenticationCreds | null): Timelock | null | undefined {
  const kept = Kept.safeParse(creds?.additionalData);
  if (!kept.success) return undefined;
  const { timelock } = kept.data;
  return timelock && { ...timelock, until: new Date(timelock.until), everybody: timelock.everybody === true };
}
