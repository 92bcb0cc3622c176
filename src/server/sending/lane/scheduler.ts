import type { Clock } from "../../../domain/clock.ts";
import type { TurnRequest } from "../ledger/turn.ts";
import type { LaneCampaign } from "./campaign-states.ts";

type Source = TurnRequest["from"];

/** Where a lane's next people come from: campaigns take turns, and within one those given back and new ones do. */
export type LaneSources = {
  /**
   * `due`: the pace allows a new message; `doubts`: a doubtful one may be sent again now; `coldWaits`: only warm people may be written to.
   * Null: nobody to claim at the moment.
   */
  next(
    campaigns: readonly LaneCampaign[],
    due: boolean,
    doubts: boolean,
    coldWaits?: boolean,
  ): { campaign: LaneCampaign; from: Source } | null;
  /** A claim found people there: the other campaigns come before this one again. */
  served(campaignId: number, from: Source): void;
  /** A claim found nobody there: it is not asked again for a while. */
  empty(campaignId: number, from: Source, coldWaits?: boolean): void;
  /** Where the search for a campaign's warm people goes on. */
  warmFrom(campaignId: number): number;
  /** It went on to there; null: all were looked at, and it rests before it begins again. */
  searched(campaignId: number, next: number | null): void;
  /** When people given back are looked for again, monotonic ms, as long as `due` and `doubts` stay what they are. */
  pollAt(campaigns: readonly LaneCampaign[], due: boolean, doubts: boolean): number;
};

/** While cold people wait, the others are looked for less often: those given back wait for hours, and few become warm. */
const COLD_POLL_MS = 5_000;
const WARM_AGAIN_MS = 10 * 60_000;

/** `poll`: milliseconds between two looks for people given back. */
export function laneSources(clock: Clock, poll: number): LaneSources {
  const asked = new Map<string, number>();
  /** Campaigns that were last asked for people given back: somebody new comes next, or one who is given back each time would come alone. */
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
      // A refused message is tried again after 1 s and 2 s, outside the pace; the others take their turn in it.
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
      // A retry takes no slot of the pace, and so no turn.
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
