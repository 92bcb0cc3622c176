import type { Clock } from "../../../domain/clock.ts";
import type { Transport } from "../../transports/transport.ts";
import { laneRate } from "./throughput.ts";

/**
 * People claimed at once where a resend under the same id is harmless: what leaves in a tenth of a second, so that a slow channel
 * leaves few in doubt when the process dies, and a fast one spares commits.
 */
const BATCH = { least: 4, most: 500, seconds: 0.1 };
/**
 * Where only free slots are claimed, messages that finish soon after each other share a commit: three quarters of the slots, or what
 * finished within 5 ms. Fewer would make the commits the bottleneck of a fast gateway, a longer wait would idle the slots of a slow one.
 */
const GROUP = { share: 0.75, waitMs: 5 };

/** How many people a lane takes in hand at once when nothing paces it. */
export type LaneRoom = {
  /** A message was answered: what comes next is measured by how fast they go. */
  one(): void;
  /** People that may be claimed now, with so many waiting in the lane and on the wire. */
  free(queued: number, flying: number): number;
  /** True when outcomes must be recorded even though nobody is claimed: there are many, or the oldest has waited long enough. */
  mustRecord(): boolean;
  /** How long an outcome waits for others to share its commit, in milliseconds; at most `flush`. */
  shareMs: number;
};

/** Measures by the transport's abilities, its speed, and the outcomes that wait to be recorded. */
export function laneRoom(
  transport: Transport,
  clock: Clock,
  flush: number,
  outcomes: { size(): number; age(): number },
): LaneRoom {
  const rate = laneRate(clock);
  const shareMs = transport.takesOurIds ? flush : Math.min(flush, GROUP.waitMs);

  function batch(): number {
    const leaving = Math.round(rate.perSecond() * BATCH.seconds);
    return Math.max(BATCH.least, Math.min(BATCH.most, leaving));
  }

  return {
    shareMs,
    one: rate.one,
    free(queued, flying) {
      if (transport.takesOurIds) return queued < batch() / 2 ? batch() : 0;
      const free = transport.slots - flying - queued;
      const enough = free >= transport.slots * GROUP.share || flying === 0;
      return enough || outcomes.age() >= shareMs ? Math.max(0, free) : 0;
    },
    mustRecord: () => outcomes.size() >= BATCH.most || outcomes.age() >= shareMs,
  };
}
