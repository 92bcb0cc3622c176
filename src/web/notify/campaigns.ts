import type { Campaign } from "../../contract/campaigns.ts";

export type CampaignSource = {
  active: () => Promise<Campaign[]>;
  /** null: deleted. */
  get: (id: number) => Promise<Campaign | null>;
};

/**
 * Reports once each campaign that ends or stops, unless its owner did it. `since`: server time, for campaigns
 * first seen later.
 */
export class CampaignWatch {
  readonly #source: CampaignSource;
  readonly #since: number;
  readonly #report: (campaign: Campaign) => void;
  readonly #known = new Map<number, string>();
  readonly #asking = new Map<number, { again: boolean }>();
  #begun: Promise<void> | null = null;

  constructor(source: CampaignSource, since: number, report: (campaign: Campaign) => void) {
    this.#source = source;
    this.#since = since;
    this.#report = report;
    this.#begin().catch(() => undefined);
  }

  /** null: any campaign may have changed. */
  async changed(id: number | null): Promise<void> {
    await this.#begin();
    await (id === null ? this.#lookAround() : this.#look(id));
  }

  /** A failed request is retried on the next change; nothing can be reported before. */
  #begin(): Promise<void> {
    this.#begun ??= this.#source.active().then(
      (all) => {
        for (const campaign of all) this.#known.set(campaign.id, stand(campaign));
      },
      (error: unknown) => {
        this.#begun = null;
        throw error;
      },
    );
    return this.#begun;
  }

  #meet(campaign: Campaign) {
    const before = this.#known.get(campaign.id);
    const now = stand(campaign);
    this.#known.set(campaign.id, now);
    if (before === now || !worthAWord(campaign)) return;
    if (before === undefined && !movedSince(campaign, this.#since)) return;
    this.#report(campaign);
  }

  /**
   * One request per campaign at a time; a change during it causes another, so the last state is not missed.
   */
  async #look(id: number): Promise<void> {
    const running = this.#asking.get(id);
    if (running) {
      running.again = true;
      return;
    }
    const mine = { again: true };
    this.#asking.set(id, mine);
    try {
      while (mine.again) {
        mine.again = false;
        const campaign = await this.#source.get(id);
        if (campaign) this.#meet(campaign);
        else this.#known.delete(id);
      }
    } finally {
      this.#asking.delete(id);
    }
  }

  async #lookAround(): Promise<void> {
    const moving = [...this.#known].filter(([, at]) => !ENDED.has(at)).map(([id]) => id);
    for (const campaign of await this.#source.active()) this.#meet(campaign);
    for (const id of moving) await this.#look(id);
  }
}

const ENDED = new Set(["completed", "partially_completed", "failed", "cancelled"]);

const stand = ({ status, cause }: Campaign) => (status === "paused" ? `paused ${cause}` : status);

/** Pausing and cancelling are the user's own actions. */
const worthAWord = ({ status, cause }: Campaign) =>
  status === "paused" ? cause !== "user" : ENDED.has(status) && status !== "cancelled";

const movedSince = ({ startedAt, endedAt }: Campaign, since: number) =>
  [startedAt, endedAt].some((at) => at !== null && Date.parse(at) >= since);
