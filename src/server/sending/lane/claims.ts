import { failpoint } from "../../base/failpoint.ts";
import type { LeftOut } from "../ledger/signals.ts";
import type { Finished, TurnAnswer, TurnRequest } from "../ledger/turn.ts";
import { takeTurn } from "../ledger/turn.ts";
import type { BatchSize } from "./batch-size.ts";
import type { LaneCampaign } from "./campaign-states.ts";
import { notYet } from "./delivered.ts";
import type { LaneDeps } from "./lane-deps.ts";
import type { OutcomeBuffer } from "./outcome-buffer.ts";
import type { Pace } from "./pace.ts";
import type { PlanGate } from "./plan-gate.ts";
import { type ClaimDeps, claimDirect, peopleOf } from "./recipient.ts";
import type { RecipientBreaker } from "./recipient-breaker.ts";
import type { RecipientQueue } from "./recipient-queue.ts";
import { Scheduler } from "./scheduler.ts";
import type { Work } from "./work.ts";

type ClaimParts = {
  outcomes: OutcomeBuffer;
  queue: RecipientQueue;
  work: Work;
  pace: Pace;
  plan: PlanGate;
  batch: BatchSize;
  breaker: RecipientBreaker;
  /** The ownership is lost. */
  lost(): void;
};

/** The lane's turns with the database: records outcomes and claims recipients, one turn at a time. */
export class Claims {
  readonly #deps: LaneDeps;
  readonly #parts: ClaimParts;
  readonly #claim: ClaimDeps;
  readonly #scheduler: Scheduler;
  /** Opt-outs received since this turn began; its result may still contain them. */
  readonly #optedOut = new Map<string, LeftOut>();
  /** A notification of an opt-out may have been lost since. */
  #optOutsMissed = false;
  #coldWaits = false;
  /** Direct messages claimed since a campaign's person left. */
  #directInARow = 0;
  #directServed = false;

  constructor(deps: LaneDeps, parts: ClaimParts) {
    const { connectionId, db, prepared, transport } = deps;
    this.#deps = deps;
    this.#parts = parts;
    this.#scheduler = new Scheduler(deps.clock, deps.times.poll);
    this.#claim = {
      connectionId,
      db,
      prepared,
      transport,
      book: deps.book ?? null,
      hidden: deps.hidden ?? (async () => false),
    };
  }

  /** False: there was nothing to do. */
  async next(): Promise<boolean> {
    const { outcomes } = this.#parts;
    this.followRestriction();
    if (this.#wantsDirect() && !this.#directServed) return this.#claimDirect();
    this.#directServed = false;
    const want = this.room();
    const claim = want > 0 ? this.#nextClaim() : null;
    const late = outcomes.next(this.#deps.times.flush);
    if (claim && (!late || late.id === claim.campaign.id))
      return this.#turn(claim.campaign, claim.from === "doubt" ? 1 : want, claim.from);
    if (late || this.mustFlush()) return this.flush();
    return this.#wantsDirect();
  }

  async flush(): Promise<boolean> {
    const campaign = this.#parts.outcomes.next();
    return campaign ? this.#turn(campaign, 0, "cursor") : false;
  }

  /** People that were claimed before a restriction, or before the number's hours ended, go back. */
  followRestriction(): void {
    const { plan, queue } = this.#parts;
    const now = (this.#deps.transport.coldWaitsUntil?.() ?? null) !== null || plan.coldWaits();
    if ((now && !this.#coldWaits) || plan.isClosed()) queue.giveBackPeople();
    this.#coldWaits = now;
  }

  optOut(phone: string, why: LeftOut): void {
    this.#optedOut.set(phone, why);
  }

  optOutsMissed(): void {
    this.#optOutsMissed = true;
  }

  personLeft(): void {
    this.#directInARow = 0;
  }

  room(): number {
    const { pace, queue, batch } = this.#parts;
    if (pace.isOn()) return queue.isEmpty() ? 1 : 0;
    return batch.free(queue.waiting, queue.inFlight);
  }

  mustFlush(): boolean {
    const { outcomes, queue, pace, batch } = this.#parts;
    return outcomes.size() > 0 && (queue.isEmpty() || pace.isOn() || batch.mustRecord());
  }

  /** When a claim may find people without another signal, monotonic ms. */
  nextClaimAt(): number {
    const { pace, plan, work } = this.#parts;
    const now = this.#deps.clock.monotonic();
    const claimIn = pace.claimIn();
    const at = claimIn > 0 ? now + claimIn : Number.POSITIVE_INFINITY;
    if (!work.hasWaiting() || plan.isClosed()) return at;
    const allowed = { due: claimIn <= 0, doubts: this.#doubtsAllowed() };
    return Math.min(at, this.#scheduler.pollAt(work.campaigns(), allowed), now + this.#deps.times.poll);
  }

  #nextClaim(): { campaign: LaneCampaign; from: TurnRequest["from"] } | null {
    const { work, pace, plan } = this.#parts;
    if (plan.isClosed()) return null;
    return this.#scheduler.next(work.campaigns(), {
      due: pace.claimIn() <= 0,
      doubts: this.#doubtsAllowed(),
      coldWaits: this.#coldWaits,
    });
  }

  /** Without our id a second attempt is a second message: such doubts wait to be found (reconcile.ts). */
  #doubtsAllowed(): boolean {
    const { transport, times, doubtsSettled } = this.#deps;
    return transport.takesOurIds && doubtsSettled?.() !== false && transport.readyFor() >= times.doubt;
  }

  /** After `slots` direct messages a due campaign person comes first, or a backlog would block campaigns. */
  #wantsDirect(): boolean {
    if (!this.#parts.work.hasDirect || this.#roomForDirect() <= 0) return false;
    return this.#directInARow < this.#deps.transport.slots || !this.#isPersonDue();
  }

  #isPersonDue(): boolean {
    const last = this.#parts.queue.last();
    return last?.kind === "person" ? this.#parts.pace.leavesIn(last) <= 0 : this.#nextClaim() !== null;
  }

  #roomForDirect(): number {
    const { queue } = this.#parts;
    const { takesOurIds, slots } = this.#deps.transport;
    if (queue.first()?.kind === "direct") return 0;
    return takesOurIds ? slots : slots - queue.inFlight - queue.waiting;
  }

  async #claimDirect(): Promise<boolean> {
    const { work, queue, lost } = this.#parts;
    this.#directServed = true;
    // Reset before the query: messages stored later notify again.
    work.hasDirect = false;
    const allowed = { doubts: this.#doubtsAllowed(), coldWaits: this.#coldWaits };
    const claimed = await claimDirect(this.#claim, this.#deps, this.#roomForDirect(), allowed);
    if (!claimed) lost();
    else {
      work.hasDirect ||= claimed.length > 0;
      this.#directInARow += claimed.length;
      queue.addFirst(claimed);
    }
    return true;
  }

  /** Always true: the turn may have changed what is to do. */
  async #turn(
    campaign: { id: number; accountId: string },
    want: number,
    from: TurnRequest["from"],
  ): Promise<boolean> {
    const { outcomes, lost } = this.#parts;
    this.#optedOut.clear();
    this.#optOutsMissed = false;
    const finished = outcomes.takeFor(campaign.id);
    const request = this.#requestOf(campaign.id, finished, want, from);
    try {
      const answer = await takeTurn(this.#deps.prepared, request);
      if (answer) await this.#answered(campaign, request, answer);
      else {
        outcomes.failed(campaign.id, finished);
        lost();
      }
    } catch (error) {
      outcomes.failed(campaign.id, finished);
      throw error;
    }
    return true;
  }

  #requestOf(
    campaignId: number,
    finished: readonly Finished[],
    want: number,
    from: TurnRequest["from"],
  ): TurnRequest {
    const { queue, work } = this.#parts;
    const { connectionId, fence } = this.#deps;
    if (finished.length > 0 && queue.isEmpty() && work.isExhausted()) failpoint("before_end");
    if (finished.length > 0) failpoint("before_record");
    return {
      connectionId,
      fence,
      campaignId,
      finished,
      want,
      from,
      coldWaits: this.#coldWaits,
      warmFrom: this.#scheduler.warmFrom(campaignId),
      lowestInFlightSeq: queue.lowestSeq(campaignId),
    };
  }

  async #answered(
    { id, accountId }: { id: number; accountId: string },
    { finished, want, from, coldWaits }: TurnRequest,
    answer: TurnAnswer,
  ): Promise<void> {
    const { outcomes } = this.#parts;
    outcomes.recorded(finished);
    if (finished.length > 0) failpoint("after_record");
    if (answer.claimed.length > 0) failpoint("claim_committed");
    const isOver = answer.status !== "sending";
    if (finished.length > 0 || isOver) this.#deps.changed(accountId, id, isOver);
    await this.#enqueue(id, answer);
    if (from === "warm") this.#scheduler.searched(id, answer.warmNext ?? null);
    if (answer.claimed.length > 0) this.#scheduler.served(id, from);
    else if (want > 0 && from !== "warm") this.#scheduler.empty(id, from, coldWaits);
  }

  async #enqueue(campaignId: number, answer: TurnAnswer): Promise<void> {
    const { work, queue, breaker, plan } = this.#parts;
    const campaign = work.find(campaignId);
    if (!campaign) return;
    campaign.fresh = answer.cursor < answer.total;
    campaign.held = answer.held;
    campaign.waiting = answer.waiting > 0;
    if (answer.status !== "sending") {
      work.remove(campaign);
      queue.halt((one) => one.campaign.id === campaignId);
    }
    if (answer.claimed.length === 0) return;
    const people = await peopleOf(this.#claim, campaign, answer.claimed);
    if (plan.isOn()) await plan.mark(people);
    queue.add(breaker.suspectsLast(people));
    for (const [phone, why] of this.#optedOut) queue.optOut(phone, why);
    queue.delayUnread(notYet(this.#deps.times));
    if (this.#optOutsMissed || !work.find(campaignId)) queue.giveBackPeople();
  }
}
