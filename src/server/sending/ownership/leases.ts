import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import { LEASE_S, type Renewed, renewLeases } from "./acquire.ts";
import type { Worker } from "./workers.ts";

/**
 * A lane stops this long before its lease ends: a frozen process that wakes up must not send beside its
 * successor.
 */
const SAFETY_MS = 2_000;

/** Tracked per connection: renewing some proves nothing about one that another process acquired. */
export type Leases = {
  renew(): Promise<Renewed[]>;
  /** Counts as gone in sharing, but keeps its connections until released. */
  leave(): void;
  renewedAt(): number;
  /**
   * `renewedAt`: last renewal before the acquire began. Later ones do not count: they may be late and already
   * know of a new owner.
   */
  taken(connectionId: number, fence: number, renewedAt: number): void;
  forget(connectionId: number): void;
  mayAct(connectionId: number, fence: number): boolean;
};

/** Monotonic time, counted from before the statement that got the lease. */
export function laneLeases(db: Db, worker: Worker, clock: Clock): Leases {
  const confirmed = new Map<number, { fence: number; at: number }>();
  let last = Number.NEGATIVE_INFINITY;
  let leaving = false;

  /** An older answer must not undo a newer one. */
  function confirm(connectionId: number, fence: number, at: number): void {
    const known = confirmed.get(connectionId);
    if (known && (known.fence > fence || (known.fence === fence && known.at > at))) return;
    confirmed.set(connectionId, { fence, at });
  }

  return {
    async renew() {
      const asked = clock.monotonic();
      const renewed = await renewLeases(db, worker, leaving);
      for (const { connectionId, fence } of renewed) confirm(connectionId, fence, asked);
      last = Math.max(last, asked);
      return renewed;
    },
    leave() {
      leaving = true;
    },
    renewedAt: () => last,
    taken: confirm,
    forget: (connectionId) => {
      confirmed.delete(connectionId);
    },
    mayAct(connectionId, fence) {
      const one = confirmed.get(connectionId);
      return one?.fence === fence && clock.monotonic() - one.at < LEASE_S * 1000 - SAFETY_MS;
    },
  };
}
