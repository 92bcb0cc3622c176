import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import { LEASE_S, type Renewed, renewLeases } from "./acquire.ts";
import type { Worker } from "./workers.ts";

/** A lane stops acting this long before its lease ends, so that a stopped process that wakes up cannot send beside its successor. */
const SAFETY_MS = 2_000;

/** What a process knows of its leases, each by itself: that some were renewed says nothing about one that another process took. */
export type Leases = {
  /** Renews all; answers the connections still owned. */
  renew(): Promise<Renewed[]>;
  /** From now on this process counts as gone where connections are shared; what it still owns it keeps until it is given up. */
  leave(): void;
  /** When the renewal that was confirmed last was asked for (monotonic ms). */
  renewedAt(): number;
  /**
   * A connection was taken over by a statement that began when the lease had been renewed last at `renewedAt`. A later renewal does not count: it
   * may be one that came too late, and know that another process has taken the connection since.
   */
  taken(connectionId: number, fence: number, renewedAt: number): void;
  forget(connectionId: number): void;
  /** True while nobody else can own the connection. */
  mayAct(connectionId: number, fence: number): boolean;
};

/** Leases of a process; their time is monotonic and counted from before the statement that got them. */
export function laneLeases(db: Db, worker: Worker, clock: Clock): Leases {
  const confirmed = new Map<number, { fence: number; at: number }>();
  let last = Number.NEGATIVE_INFINITY;
  let leaving = false;

  /** Answers may overtake one another: an older one takes nothing back. */
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
