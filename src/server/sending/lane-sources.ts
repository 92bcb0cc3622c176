import type { Clock } from "../../domain/clock.ts";
import type { LaneCampaign } from "./lane-campaigns.ts";
import type { TurnRequest } from "./turn.ts";

type Source = TurnRequest["from"];

/** Where a lane's next people come from: campaigns take turns, and within one those given back come before new ones. */
export type LaneSources = {
  /** `due`: the pace allows a new message; `doubts`: a doubtful one may be sent again now. Null: nobody to claim at the moment. */
  next(
    campaigns: readonly LaneCampaign[],
    due: boolean,
    doubts: boolean,
  ): { campaign: LaneCampaign; from: Source } | null;
  /** A claim found nobody there: it is not asked again for a while. */
  empty(campaignId: number, from: Source): void;
  /** When people given back are looked for again, monotonic ms. */
  pollAt(campaigns: readonly LaneCampaign[]): number;
};

/** `poll`: milliseconds between two looks for people given back. */
export function laneSources(clock: Clock, poll: number): LaneSources {
  const asked = new Map<string, number>();
  let turn = 0;
  const ready = (campaign: LaneCampaign, from: Source) =>
    clock.monotonic() >= (asked.get(`${campaign.id} ${from}`) ?? 0);

  function sourceOf(campaign: LaneCampaign, due: boolean, doubts: boolean): Source | null {
    if (campaign.waiting) {
      // A refused message is tried again after 1 s and 2 s, outside the pace; the others take their turn in it.
      if (ready(campaign, "retry")) return "retry";
      if (due && doubts && ready(campaign, "doubt")) return "doubt";
      if (due && ready(campaign, "returned")) return "returned";
    }
    return campaign.fresh && due ? "cursor" : null;
  }

  return {
    next(campaigns, due, doubts) {
      for (let i = 0; i < campaigns.length; i++) {
        const index = (turn + i) % campaigns.length;
        const campaign = campaigns[index];
        const from = campaign ? sourceOf(campaign, due, doubts) : null;
        if (!campaign || !from) continue;
        // An empty look for people given back must not cost a campaign its turn.
        if (from === "cursor") turn = index + 1;
        return { campaign, from };
      }
      return null;
    },
    empty(campaignId, from) {
      asked.set(`${campaignId} ${from}`, clock.monotonic() + poll);
    },
    pollAt(campaigns) {
      const sources: Source[] = ["retry", "doubt", "returned"];
      const waiting = campaigns.filter((one) => one.waiting);
      const times = waiting.flatMap((one) => sources.map((from) => asked.get(`${one.id} ${from}`) ?? 0));
      return Math.min(Number.POSITIVE_INFINITY, ...times);
    },
  };
}
