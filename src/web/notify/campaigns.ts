import type { Campaign } from "../../contract/campaigns.ts";

export type CampaignSource = {
  /** Those that may change by themselves: scheduled, sending, paused. */
  active: () => Promise<Campaign[]>;
  /** null: there is none any more. */
  get: (id: number) => Promise<Campaign | null>;
};

export type Watch = { changed: (id: number | null) => Promise<void> };

/**
 * Knows where each campaign stood when it began to look, and hands over each that has ended or come to a stop since: once, and never
 * one that its owner stopped. `since`: the server's clock, for campaigns that it meets for the first time.
 */
export function watchCampaigns(
  source: CampaignSource,
  since: number,
  tell: (campaign: Campaign) => void,
): Watch {
  const known = new Map<number, string>();
  const asking = new Map<number, { again: boolean }>();
  let begun: Promise<void> | null = null;
  begin().catch(() => undefined);

  /** What did not come is asked for again with the next change: until then nothing could be told. */
  function begin(): Promise<void> {
    begun ??= source.active().then(
      (all) => {
        for (const campaign of all) known.set(campaign.id, stand(campaign));
      },
      (fault: unknown) => {
        begun = null;
        throw fault;
      },
    );
    return begun;
  }

  function meet(campaign: Campaign) {
    const before = known.get(campaign.id);
    const now = stand(campaign);
    known.set(campaign.id, now);
    if (before === now || !worthAWord(campaign)) return;
    if (before === undefined && !movedSince(campaign, since)) return;
    tell(campaign);
  }

  /** One question at a time for each campaign; what changes meanwhile is asked for once more, so that no last word is missed. */
  async function look(id: number): Promise<void> {
    const running = asking.get(id);
    if (running) {
      running.again = true;
      return;
    }
    const mine = { again: true };
    asking.set(id, mine);
    try {
      while (mine.again) {
        mine.again = false;
        const campaign = await source.get(id);
        if (campaign) meet(campaign);
        else known.delete(id);
      }
    } finally {
      asking.delete(id);
    }
  }

  async function lookAround(): Promise<void> {
    const moving = [...known].filter(([, at]) => !ENDED.has(at)).map(([id]) => id);
    for (const campaign of await source.active()) meet(campaign);
    for (const id of moving) await look(id);
  }

  return {
    async changed(id) {
      await begin();
      await (id === null ? lookAround() : look(id));
    },
  };
}

const ENDED = new Set(["completed", "partially_completed", "failed", "cancelled"]);

const stand = ({ status, cause }: Campaign) => (status === "paused" ? `paused ${cause}` : status);

/** Whoever pauses or cancels knows it already. */
const worthAWord = ({ status, cause }: Campaign) =>
  status === "paused" ? cause !== "user" : ENDED.has(status) && status !== "cancelled";

const movedSince = ({ startedAt, endedAt }: Campaign, since: number) =>
  [startedAt, endedAt].some((at) => at !== null && Date.parse(at) >= since);
