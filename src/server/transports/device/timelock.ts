import type { ConnectionState as BaileysUpdate, WASocket } from "baileys";
import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import { type Screen, UNKNOWN_LOCK_MS } from "./screen.ts";

type Told = NonNullable<BaileysUpdate["reachoutTimeLock"]>;

type TimelockDeps = { screen: Screen; clock: Clock; log: Logger };

/**
 * Follows what WhatsApp tells of the restriction on new conversations. What it tells unasked may be older than its last answer (kept while
 * we were away, or in Baileys' queue): before a restriction ends sooner for that, WhatsApp is asked, because every message sent into one
 * prolongs it. Baileys emits the answer as one more such event.
 */
export function followTimelock({ screen, clock, log }: TimelockDeps): (sock: WASocket, told: Told) => void {
  let asking = false;

  function show({ isActive, timeEnforcementEnds }: Told): void {
    if (!isActive) screen.timelock(null);
    else if (timeEnforcementEnds) screen.timelock({ until: timeEnforcementEnds, known: true });
    else if (!screen.timelockedUntil())
      screen.timelock({ until: new Date(clock.now().getTime() + UNKNOWN_LOCK_MS), known: false });
  }

  function endsSooner({ isActive, timeEnforcementEnds }: Told): boolean {
    const stands = screen.timelockedUntil();
    if (!stands) return false;
    return !isActive || (timeEnforcementEnds !== undefined && timeEnforcementEnds < stands);
  }

  return (sock, told) => {
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
  };
}
