import type { Clock } from "../../domain/clock.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Move } from "./settle.ts";
import type { Finished } from "./turn.ts";

/** Outcomes that wait to be recorded by a turn, by campaign. */
export type LaneOutcomes = {
  add(campaignId: number, accountId: string, one: Finished): void;
  size(): number;
  /** Milliseconds that the oldest has waited; 0 without any. */
  age(): number;
  /** A campaign that has some. */
  next(): { id: number; accountId: string } | null;
  /** Hands a campaign's outcomes to a turn; `recorded` or `failed` says how that went. */
  takeFor(campaignId: number): readonly Finished[];
  recorded(told: readonly Finished[]): void;
  failed(campaignId: number, told: readonly Finished[]): void;
  /**
   * What is proven is not lost with the ownership: accepted messages, as late truth, which only moves rows up. The rest needs no
   * telling: its people are given back in doubt by the next owner.
   */
  proven(): { campaignId: number; moves: Move[] }[];
};

/** An empty store of outcomes. */
export function laneOutcomes(clock: Clock): LaneOutcomes {
  const waiting = new Map<number, { accountId: string; list: Finished[] }>();
  const lost: { campaignId: number; list: readonly Finished[] }[] = [];
  let size = 0;
  let oldest = 0;

  return {
    add(campaignId, accountId, one) {
      const known = waiting.get(campaignId);
      if (known) known.list.push(one);
      else waiting.set(campaignId, { accountId, list: [one] });
      if (size === 0) oldest = clock.monotonic();
      size += 1;
    },
    size: () => size,
    age: () => (size === 0 ? 0 : clock.monotonic() - oldest),
    next() {
      for (const [id, { accountId }] of waiting) return { id, accountId };
      return null;
    },
    takeFor(campaignId) {
      const list = waiting.get(campaignId)?.list ?? [];
      waiting.delete(campaignId);
      return list;
    },
    recorded(told) {
      size -= told.length;
      oldest = clock.monotonic();
    },
    failed(campaignId, told) {
      lost.push({ campaignId, list: told });
    },
    proven() {
      for (const [campaignId, { list }] of waiting) lost.push({ campaignId, list });
      waiting.clear();
      return lost.splice(0).flatMap(({ campaignId, list }) => {
        const moves = list.flatMap((one) =>
          one.to === "sent" ? [{ seq: one.seq, to: DELIVERY.sent, at: new Date(one.at) }] : [],
        );
        return moves.length > 0 ? [{ campaignId, moves }] : [];
      });
    },
  };
}
