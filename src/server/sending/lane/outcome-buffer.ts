import type { Clock } from "../../../domain/clock.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { type Move, UNTOLD } from "../ledger/settle.ts";
import type { Finished } from "../ledger/turn.ts";
import type { UnrecordedMoves } from "./lane-deps.ts";

/** Outcomes of campaigns that the next turn records. */
export class OutcomeBuffer {
  readonly #clock: Clock;
  readonly #fence: number;
  readonly #waiting = new Map<number, { accountId: string; list: Finished[]; since: number }>();
  readonly #failed: { campaignId: number; list: readonly Finished[] }[] = [];
  #size = 0;
  #oldest = 0;

  constructor(clock: Clock, fence: number) {
    this.#clock = clock;
    this.#fence = fence;
  }

  add(campaignId: number, accountId: string, one: Finished): void {
    const known = this.#waiting.get(campaignId);
    if (known) known.list.push(one);
    else this.#waiting.set(campaignId, { accountId, list: [one], since: this.#clock.monotonic() });
    if (this.#size === 0) this.#oldest = this.#clock.monotonic();
    this.#size += 1;
  }

  size(): number {
    return this.#size;
  }

  age(): number {
    return this.#size === 0 ? 0 : this.#clock.monotonic() - this.#oldest;
  }

  /**
   * Campaign with the oldest outcome of at least this age: without new claims nothing else would record it.
   */
  next(waitedMs = 0): { id: number; accountId: string } | null {
    for (const [id, { accountId, since }] of this.#waiting)
      return this.#clock.monotonic() - since >= waitedMs ? { id, accountId } : null;
    return null;
  }

  takeFor(campaignId: number): readonly Finished[] {
    const list = this.#waiting.get(campaignId)?.list ?? [];
    this.#waiting.delete(campaignId);
    return list;
  }

  recorded(handled: readonly Finished[]): void {
    this.#size -= handled.length;
    this.#oldest = this.#clock.monotonic();
  }

  failed(campaignId: number, handled: readonly Finished[]): void {
    this.#failed.push({ campaignId, list: handled });
  }

  /**
   * Proven outcomes survive the ownership: accepted messages (late results only move up) and people surely
   * not written to, if still claimed here. The rest is returned in doubt.
   */
  proven(): UnrecordedMoves[] {
    for (const [campaignId, { list }] of this.#waiting) this.#failed.push({ campaignId, list });
    this.#waiting.clear();
    return this.#failed.splice(0).flatMap(({ campaignId, list }) => this.#provenOf(campaignId, list));
  }

  #provenOf(campaignId: number, list: readonly Finished[]): UnrecordedMoves[] {
    const unrecorded: UnrecordedMoves[] = [
      { campaignId, moves: movesTo(DELIVERY.sent, list.filter(isSent)) },
      {
        campaignId,
        moves: movesTo(DELIVERY.accepted, list.filter(isAccepted)),
        options: { from: UNTOLD },
      },
      {
        campaignId,
        moves: movesTo(DELIVERY.waiting, list.filter(isUnsent)),
        options: { from: [DELIVERY.sending], fence: this.#fence },
      },
    ];
    return unrecorded.filter(({ moves }) => moves.length > 0);
  }
}

const isSent = (one: Finished): boolean => one.to === "sent";

const isAccepted = (one: Finished): boolean => one.to === "accepted";

const isUnsent = (one: Finished): boolean => one.to === "waiting" && one.attempts === 0 && !one.ambiguous;

const movesTo = (to: Move["to"], list: readonly Finished[]): Move[] =>
  list.map(({ seq, at }) => ({ seq, to, at: new Date(at) }));
