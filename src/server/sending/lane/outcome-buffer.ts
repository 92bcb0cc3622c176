import type { Clock } from "../../../domain/clock.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { type Move, UNTOLD } from "../ledger/settle.ts";
import type { Finished } from "../ledger/turn.ts";
import type { UnrecordedMoves } from "./lane-deps.ts";

/** Outcomes that wait to be recorded by a turn, by campaign. */
export type LaneOutcomes = {
  add(campaignId: number, accountId: string, one: Finished): void;
  size(): number;
  /** Milliseconds that the oldest has waited; 0 without any. */
  age(): number;
  /**
   * The campaign whose outcomes have waited longest, where that is so many milliseconds: one that hands out nobody more has no claim that
   * would record them, however often another one has.
   */
  next(waitedMs?: number): { id: number; accountId: string } | null;
  /** Hands a campaign's outcomes to a turn; `recorded` or `failed` says how that went. */
  takeFor(campaignId: number): readonly Finished[];
  recorded(told: readonly Finished[]): void;
  failed(campaignId: number, told: readonly Finished[]): void;
  /**
   * What is proven is not lost with the ownership: accepted messages, as late truth, which only moves rows up; and people to whom nothing
   * was written, where they still stand as this lane was handed them. The rest needs no telling: its people are given back in doubt.
   */
  proven(): UnrecordedMoves[];
};

/** An empty store of outcomes of people handed out under this fence. */
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

/** Given back without an attempt. */
const isUnsent = (one: Finished): boolean => one.to === "waiting" && one.attempts === 0 && !one.ambiguous;

const movesTo = (to: Move["to"], list: readonly Finished[]): Move[] =>
  list.map(({ seq, at }) => ({ seq, to, at: new Date(at) }));
