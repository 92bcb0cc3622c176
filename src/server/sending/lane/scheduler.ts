import type { Clock } from "../../../domain/clock.ts";
import type { TurnRequest } from "../ledger/turn.ts";
import type { LaneCampaign } from "./campaign-states.ts";

type Source = TurnRequest["from"];

export type LaneSources = {
  /**
   * `due`: the pace allows a new message; `doubts`: resends allowed; `coldWaits`: warm people only. Null: no
   * claim now.
   */
  next(
    campaigns: readonly LaneCampaign[],
    due: boolean,
    doubts: boolean,
    coldWaits?: boolean,
  ): { campaign: LaneCampaign; from: Source } | null;
  served(campaignId: number, from: Source): void;
  empty(campaignId: number, from: Source, coldWaits?: boolean): void;
  warmFrom(campaignId: number): number;
  searched(campaignId: number, next: number | null): void;
  /** Next look for returned people, monotonic ms, while `due` and `doubts` stay the same. */
  pollAt(campaigns: readonly LaneCampaign[], due: boolean, doubts: boolean): number;
};

/** Longer while cold people wait: they wait for hours and few become warm. */
const COLD_POLL_MS = 5_000;
const WARM_AGAIN_MS = 10 * 60_000;

export function laneSources(clock: Clock, poll: number): LaneSources {
  const asked = new Map<string, number>();
  /**
   * Campaigns whose last claim was returned people: new ones come next, or one person returned each time
   * would block them.
   */
  const returned = new Set<number>();
  const warm = new Map<number, number>();
  let last = 0;
  const ready = (campaign: LaneCampaign, from: Source) =>
    clock.monotonic() >= (asked.get(`${campaign.id} ${from}`) ?? 0);

  function sourceOf(
    campaign: LaneCampaign,
    due: boolean,
    doubts: boolean,
    coldWaits: boolean,
  ): Source | null {
    const fresh = campaign.fresh && due && (!coldWaits || ready(campaign, "warm"));
    if (campaign.waiting) {
      // A refused message is retried after 1 s and 2 s, outside the pace; others follow it.
      if (ready(campaign, "retry")) return "retry";
      if (due && doubts && ready(campaign, "doubt")) return "doubt";
      if (due && ready(campaign, "returned") && !(fresh && returned.has(campaign.id))) return "returned";
    }
    if (!fresh) return null;
    return coldWaits ? "warm" : "cursor";
  }

  function rest(campaignId: number, from: Source, ms: number): void {
    const now = clock.monotonic();
    for (const [key, until] of asked) if (until <= now) asked.delete(key);
    asked.set(`${campaignId} ${from}`, now + ms);
  }

  return {
    next(campaigns, due, doubts, coldWaits = false) {
      const start = Math.max(
        0,
        campaigns.findIndex((one) => one.id > last),
      );
      for (let i = 0; i < campaigns.length; i++) {
        const campaign = campaigns[(start + i) % campaigns.length];
        const from = campaign ? sourceOf(campaign, due, doubts, coldWaits) : null;
        if (campaign && from) return { campaign, from };
      }
      return null;
    },
    served(campaignId, from) {
      if (from !== "retry") last = campaignId;
      if (from === "returned") returned.add(campaignId);
      else if (from === "cursor" || from === "warm") returned.delete(campaignId);
    },
    empty: (campaignId, from, coldWaits = false) =>
      rest(campaignId, from, coldWaits ? Math.max(poll, COLD_POLL_MS) : poll),
    warmFrom: (campaignId) => warm.get(campaignId) ?? 0,
    searched(campaignId, next) {
      if (next !== null) warm.set(campaignId, next);
      else {
        warm.delete(campaignId);
        rest(campaignId, "warm", WARM_AGAIN_MS);
      }
    },
    pollAt(campaigns, due, doubts) {
      const sources: Source[] = ["retry"];
      if (due) sources.push("returned");
      if (due && doubts) sources.push("doubt");
      const waiting = campaigns.filter((one) => one.waiting);
      const times = waiting.flatMap((one) => sources.map((from) => asked.get(`${one.id} ${from}`) ?? 0));
      return Math.min(Number.POSITIVE_INFINITY, ...times);
    },
  };
}
