import type { Clock } from "../../../domain/clock.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { type Move, UNTOLD } from "../ledger/settle.ts";
import type { Finished } from "../ledger/turn.ts";
import type { UnrecordedMoves } from "./lane-deps.ts";

export type LaneOutcomes = {
  add(campaignId: number, accountId: string, one: Finished): void;
  size(): number;
  age(): number;
  /**
   * Campaign with the oldest outcome of at least this age: without new claims nothing else would record it.
   */
  next(waitedMs?: number): { id: number; accountId: string } | null;
  takeFor(campaignId: number): readonly Finished[];
  recorded(handled: readonly Finished[]): void;
  failed(campaignId: number, handled: readonly Finished[]): void;
  /**
   * Proven outcomes survive the ownership: accepted messages (late results only move up) and people surely
   * not written to, if still claimed here. The rest is returned in doubt.
   */
  proven(): UnrecordedMoves[];
};

export function laneOutcomes(clock: Clock, fence: number): LaneOutcomes {
  const waiting = new Map<number, { accountId: string; list: Finished[]; since: number }>();
  const lost: { campaignId: number; list: readonly Finished[] }[] = [];
  let size = 0;
  let oldest = 0;

  return {
    add(campaignId, accountId, one) {
      const known = waiting.get(campaignId);
      if (known) known.list.push(one);
      else waiting.set(campaignId, { accountId, list: [one], since: clock.monotonic() });
      if (size === 0) oldest = clock.monotonic();
      size += 1;
    },
    size: () => size,
    age: () => (size === 0 ? 0 : clock.monotonic() - oldest),
    next(waitedMs = 0) {
      for (const [id, { accountId, since }] of waiting)
        return clock.monotonic() - since >= waitedMs ? { id, accountId } : null;
      return null;
    },
    takeFor(campaignId) {
      const list = waiting.get(campaignId)?.list ?? [];
      waiting.delete(campaignId);
      return list;
    },
    recorded(handled) {
      size -= handled.length;
      oldest = clock.monotonic();
    },
    failed(campaignId, handled) {
      lost.push({ campaignId, list: handled });
    },
    proven() {
      for (const [campaignId, { list }] of waiting) lost.push({ campaignId, list });
      waiting.clear();
      return lost.splice(0).flatMap(({ campaignId, list }) => {
        const owed: UnrecordedMoves[] = [
          { campaignId, moves: movesTo(DELIVERY.sent, list.filter(isSent)) },
          {
            campaignId,
            moves: movesTo(DELIVERY.accepted, list.filter(isAccepted)),
            options: { from: UNTOLD },
          },
          {
            campaignId,
            moves: movesTo(DELIVERY.waiting, list.filter(isUnsent)),
            options: { from: [DELIVERY.sending], fence },
          },
        ];
        return owed.filter(({ moves }) => moves.length > 0);
      });
    },
  };
}

const isSent = (one: Finished): boolean => one.to === "sent";

const isAccepted = (one: Finished): boolean => one.to === "accepted";

const isUnsent = (one: Finished): boolean => one.to === "waiting" && one.attempts === 0 && !one.ambiguous;

const movesTo = (to: Move["to"], list: readonly Finished[]): Move[] =>
  list.map(({ seq, at }) => ({ seq, to, at: new Date(at) }));
