import type { Clock } from "../../../domain/clock.ts";
import type { Transport } from "../../transports/transport.ts";
import { laneRate } from "./throughput.ts";

/**
 * Claimed at once where a resend under the same id is harmless: 0.1 s of sending. A slow channel leaves few
 * doubts in a crash, a fast one saves commits.
 */
const BATCH = { least: 4, most: 500, seconds: 0.1 };
/**
 * Where only free slots are claimed: ¾ of the slots, or 5 ms, share a commit. Fewer would make commits the
 * bottleneck of a fast gateway; a longer wait would idle a slow one's slots.
 */
const GROUP = { share: 0.75, waitMs: 5 };

export type LaneRoom = {
  one(): void;
  free(queued: number, flying: number): number;
  mustRecord(): boolean;
  shareMs: number;
};

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
