import type { Clock } from "../../../domain/clock.ts";
import type { TurnRequest } from "../ledger/turn.ts";
import type { LaneCampaign } from "./campaign-states.ts";

type Source = TurnRequest["from"];

/** `due`: the pace allows a new message; `doubts`: resends allowed; `coldWaits`: warm people only. */
type Allowed = { due: boolean; doubts: boolean; coldWaits?: boolean };

/** Longer while cold people wait: they wait for hours and few become warm. */
const COLD_POLL_MS = 5_000;
const WARM_AGAIN_MS = 10 * 60_000;

/** Chooses the campaign and the kind of people that the lane claims next; times are monotonic ms. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #poll: number;
  /** Sources that were empty rest until this time. */
  readonly #restsUntil = new Map<string, number>();
  /**
   * Campaigns whose last claim was returned people: new ones come next, or one person returned each time
   * would block them.
   */
  readonly #returned = new Set<number>();
  readonly #warmFrom = new Map<number, number>();
  #lastCampaign = 0;

  constructor(clock: Clock, poll: number) {
    this.#clock = clock;
    this.#poll = poll;
  }

  /** Null: no claim now. */
  next(
    campaigns: readonly LaneCampaign[],
    allowed: Allowed,
  ): { campaign: LaneCampaign; from: Source } | null {
    const start = Math.max(
      0,
      campaigns.findIndex((one) => one.id > this.#lastCampaign),
    );
    for (let i = 0; i < campaigns.length; i++) {
      const campaign = campaigns[(start + i) % campaigns.length];
      const from = campaign ? this.#sourceOf(campaign, allowed) : null;
      if (campaign && from) return { campaign, from };
    }
    return null;
  }

  served(campaignId: number, from: Source): void {
    if (from !== "retry") this.#lastCampaign = campaignId;
    if (from === "returned") this.#returned.add(campaignId);
    else if (from === "cursor" || from === "warm") this.#returned.delete(campaignId);
  }

  empty(campaignId: number, from: Source, coldWaits = false): void {
    this.#rest(campaignId, from, coldWaits ? Math.max(this.#poll, COLD_POLL_MS) : this.#poll);
  }

  warmFrom(campaignId: number): number {
    return this.#warmFrom.get(campaignId) ?? 0;
  }

  /** Where the search for warm people goes on; null: it reached the end. */
  searched(campaignId: number, next: number | null): void {
    if (next !== null) {
      this.#warmFrom.set(campaignId, next);
      return;
    }
    this.#warmFrom.delete(campaignId);
    this.#rest(campaignId, "warm", WARM_AGAIN_MS);
  }

  /** Next look for returned people, while `due` and `doubts` stay the same. */
  pollAt(campaigns: readonly LaneCampaign[], { due, doubts }: Allowed): number {
    const sources: Source[] = ["retry"];
    if (due) sources.push("returned");
    if (due && doubts) sources.push("doubt");
    const waiting = campaigns.filter((one) => one.waiting);
    const times = waiting.flatMap((one) =>
      sources.map((from) => this.#restsUntil.get(`${one.id} ${from}`) ?? 0),
    );
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  }

  #sourceOf(campaign: LaneCampaign, { due, doubts, coldWaits = false }: Allowed): Source | null {
    const onlyWarm = coldWaits || campaign.held;
    const fresh = campaign.fresh && due && (!onlyWarm || this.#isReady(campaign, "warm"));
    if (campaign.waiting) {
      // A refused message is retried after 1 s and 2 s, outside the pace; others follow it.
      if (this.#isReady(campaign, "retry")) return "retry";
      if (due && doubts && this.#isReady(campaign, "doubt")) return "doubt";
      const isTheirTurn = !(fresh && this.#returned.has(campaign.id));
      if (due && isTheirTurn && this.#isReady(campaign, "returned")) return "returned";
    }
    if (!fresh) return null;
    return onlyWarm ? "warm" : "cursor";
  }

  #isReady({ id }: LaneCampaign, from: Source): boolean {
    return this.#clock.monotonic() >= (this.#restsUntil.get(`${id} ${from}`) ?? 0);
  }

  #rest(campaignId: number, from: Source, ms: number): void {
    const now = this.#clock.monotonic();
    for (const [key, until] of this.#restsUntil) if (until <= now) this.#restsUntil.delete(key);
    this.#restsUntil.set(`${campaignId} ${from}`, now + ms);
  }
}
