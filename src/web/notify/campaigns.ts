import type { Campaign } from "../../contract/campaigns.ts";

export type CampaignSource = {
  active: () => Promise<Campaign[]>;
  /** null: deleted. */
  get: (id: number) => Promise<Campaign | null>;
};

export type Watch = { changed: (id: number | null) => Promise<void> };

/**
 * Reports once each campaign that ends or stops, unless its owner did it. `since`: server time, for campaigns
 * first seen later.
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

  /** A failed request is retried on the next change; nothing can be reported before. */
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

  /**
   * One request per campaign at a time; a change during it causes another, so the last state is not missed.
   */
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

/** Pausing and cancelling are the user's own actions. */
const worthAWord = ({ status, cause }: Campaign) =>
  status === "paused" ? cause !== "user" : ENDED.has(status) && status !== "cancelled";

const movedSince = ({ startedAt, endedAt }: Campaign, since: number) =>
  [startedAt, endedAt].some((at) => at !== null && Date.parse(at) >= since);
