import type { Clock } from "../../../domain/clock.ts";
import type { Prepared } from "../../db/client.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import { type LaneCampaign, lookForWork } from "./campaign-states.ts";
import type { Pace } from "./pace.ts";
import type { PlanGate } from "./plan-gate.ts";

type WorkDeps = {
  connectionId: number;
  prepared: Prepared;
  clock: Clock;
  times: Pick<LaneTimes, "lookAgain">;
  optOutsKnown?: (() => boolean) | undefined;
};

/** What the connection has to send, as the last look found it. */
export class Work {
  /** A direct message may wait. */
  hasDirect = false;
  readonly #deps: WorkDeps;
  readonly #pace: Pace;
  readonly #plan: Pick<PlanGate, "look">;
  #campaigns: readonly LaneCampaign[] = [];
  /** Changes notified and known: campaigns are outdated while they differ. */
  #notified = 1;
  #known = 0;
  #lookedAt: number;

  constructor(deps: WorkDeps, pace: Pace, plan: Pick<PlanGate, "look">) {
    this.#deps = deps;
    this.#pace = pace;
    this.#plan = plan;
    this.#lookedAt = deps.clock.monotonic();
  }

  campaigns(): readonly LaneCampaign[] {
    return this.#campaigns;
  }

  find(campaignId: number): LaneCampaign | undefined {
    return this.#campaigns.find(({ id }) => id === campaignId);
  }

  /** Nothing is left to claim, as far as is known. */
  isExhausted(): boolean {
    return !this.#campaigns.some((one) => one.fresh || one.waiting);
  }

  hasWaiting(): boolean {
    return this.#campaigns.some((one) => one.waiting);
  }

  /** A notified change is unknown: it may be a pause. */
  isOutdated(): boolean {
    return this.#known < this.#notified;
  }

  async look(): Promise<void> {
    const now = this.#notified;
    const { campaigns, direct, planned } = await lookForWork(this.#deps.prepared, this.#deps.connectionId);
    await this.#plan.look(planned);
    this.#follow(this.#deps.optOutsKnown?.() === false ? [] : campaigns);
    this.hasDirect ||= direct;
    this.#known = now;
  }

  /** The campaign stopped or ended. */
  remove(campaign: LaneCampaign): void {
    this.#follow(this.#campaigns.filter((one) => one !== campaign));
  }

  lookAgain(): void {
    this.#notified += 1;
    this.#lookedAt = this.#deps.clock.monotonic();
  }

  /** Moved away from a due message: nothing leaves before a look is answered. */
  lookAt(): number {
    return this.#pace.clearOf(this.#lookedAt + this.#deps.times.lookAgain);
  }

  #follow(campaigns: readonly LaneCampaign[]): void {
    this.#campaigns = campaigns;
    this.#pace.follow(campaigns);
  }
}
