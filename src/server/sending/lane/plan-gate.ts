import type { Clock } from "../../../domain/clock.ts";
import { remainingQuota } from "../../../domain/new-chats.ts";
import { type NumberPlan, rampOn } from "../../../domain/number-plan.ts";
import { nextOpen, planDay } from "../../../domain/plan-hours.ts";
import { afterMessage, type Drawn, dueOf, type PlanUse, UNUSED } from "../../../domain/plan-pace.ts";
import { dayInZone } from "../../../domain/schedule.ts";
import type { Db, Prepared } from "../../db/client.ts";
import { isWarm } from "../ledger/known-conversations.ts";
import {
  beginConversation,
  countCold,
  findPlan,
  type StoredPlan,
  storeUse,
  takeBackBeginning,
} from "../ledger/number-plans.ts";
import { keyOf, type Person, phoneOf, type Recipient } from "./recipient.ts";

type GateDeps = {
  connectionId: number;
  db: Db;
  prepared: Prepared;
  clock: Clock;
  random: () => number;
};

/** A counted beginning, or none needed; `denied`: today's new conversations are used up. */
export type Taken = { beginning: number | null } | "denied";

const FREE: Taken = { beginning: null };

/** When a number's plan lets messages leave. Without a plan it never holds anything. */
export class PlanGate {
  readonly #deps: GateDeps;
  #stored: Omit<StoredPlan, "use"> | null = null;
  /** Of this lane, which alone writes it: what a look reads may be older. */
  #use: PlanUse | null = null;
  #coldToday = 0;
  /** What today may reach by WhatsApp's own quota. */
  #quotaToday = Number.POSITIVE_INFINITY;
  /** A count that a beginning overtook is older than it. */
  #takes = 0;
  /** Doubts of this lane. Those of a dead one may not have been counted. */
  readonly #counted = new Set<string>();
  #drawn: Drawn;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#drawn = this.#draw();
  }

  async look(isPlanned: boolean): Promise<void> {
    const { prepared, db, connectionId } = this.#deps;
    const stored = isPlanned ? await findPlan(prepared, connectionId) : null;
    const takes = this.#takes;
    const coldToday = stored ? await countCold(db, connectionId, this.#today(stored).start) : 0;
    if (takes === this.#takes) {
      this.#coldToday = coldToday;
      this.#quotaToday = coldToday + this.#quotaLeft(stored);
    }
    this.#stored = stored;
    this.#use = stored && this.#notAhead(stored.plan, this.#use ?? stored.use);
  }

  isOn(): boolean {
    return this.#stored !== null;
  }

  isClosed(): boolean {
    return this.#opensIn() > 0;
  }

  /** Ms until a message of a campaign may leave; negative: since when. */
  dueIn(): number {
    if (!this.#stored) return Number.NEGATIVE_INFINITY;
    const opensIn = this.#opensIn();
    return opensIn > 0 ? opensIn : this.#gaps(this.#stored.plan).warm - this.#now();
  }

  leavesIn({ isCold }: Person): number {
    if (!this.#stored || !isCold) return this.dueIn();
    return Math.max(this.dueIn(), this.#gaps(this.#stored.plan).cold - this.#now());
  }

  coldWaits(): boolean {
    return this.#stored !== null && this.#coldToday >= this.#budget(this.#stored);
  }

  async mark(people: readonly Person[]): Promise<void> {
    if (!this.#stored) return;
    const { db, connectionId } = this.#deps;
    for (const one of people) one.isCold = !(await isWarm(db, connectionId, one.person.phone));
  }

  /** Before the message leaves. */
  async take(recipient: Recipient): Promise<Taken> {
    const stored = this.#stored;
    if (!stored) return FREE;
    const { db, connectionId } = this.#deps;
    const isCold = !(await isWarm(db, connectionId, phoneOf(recipient)));
    const now = this.#now();
    let beginning: number | null = null;
    if (isCold && !this.#counted.has(keyOf(recipient))) {
      const campaignId = recipient.kind === "person" ? recipient.campaign.id : null;
      const dayStart = this.#today(stored).start;
      const budget = this.#budget(stored);
      beginning = await beginConversation(db, { connectionId, campaignId, at: now, dayStart, budget });
      if (beginning === null) {
        this.#coldToday = Math.max(this.#coldToday, budget);
        return "denied";
      }
      this.#coldToday += 1;
      this.#takes += 1;
    }
    if (recipient.kind === "person") {
      const message = { at: now, cold: isCold, drawn: this.#drawn };
      this.#use = afterMessage(stored.plan, this.#use ?? UNUSED, message);
      this.#drawn = this.#draw();
      await storeUse(db, connectionId, this.#use);
    }
    return { beginning };
  }

  inDoubt(recipient: Recipient): void {
    if (this.#stored) this.#counted.add(keyOf(recipient));
  }

  async takeBack(taken: Taken): Promise<void> {
    if (taken === "denied" || taken.beginning === null) return;
    await takeBackBeginning(this.#deps.db, taken.beginning);
    this.#coldToday -= 1;
    this.#takes += 1;
  }

  #budget({ plan, zone }: Pick<StoredPlan, "plan" | "zone">): number {
    return Math.min(rampOn(plan, dayInZone(this.#deps.clock.now(), zone)), this.#quotaToday);
  }

  #quotaLeft(stored: StoredPlan | null): number {
    if (!stored) return Number.POSITIVE_INFINITY;
    const { newChats, begun } = stored.quota;
    return remainingQuota(newChats, begun, this.#deps.clock.now())?.left ?? Number.POSITIVE_INFINITY;
  }

  #opensIn(): number {
    if (!this.#stored) return 0;
    const now = this.#now();
    const open = nextOpen(this.#stored.plan, this.#stored.zone, now);
    return (open ?? Number.POSITIVE_INFINITY) - now;
  }

  #gaps(plan: NumberPlan): { warm: number; cold: number } {
    return dueOf(plan, this.#use ?? UNUSED, this.#drawn);
  }

  #today({ plan, zone }: Pick<StoredPlan, "plan" | "zone">) {
    return planDay(plan, zone, dayInZone(this.#deps.clock.now(), zone));
  }

  /** A clock that was put back must not stop the number until it catches up. */
  #notAhead(plan: NumberPlan, use: PlanUse): PlanUse {
    const now = this.#now();
    const upTo = (time: number | null, most: number) => (time === null ? null : Math.min(time, most));
    const longestRest = now + (plan.rest?.minutes.most ?? 0) * 60_000;
    return {
      ...use,
      lastAt: upTo(use.lastAt, now),
      lastColdAt: upTo(use.lastColdAt, now),
      restsUntil: upTo(use.restsUntil, longestRest),
    };
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }

  #draw(): Drawn {
    const { random } = this.#deps;
    return { warm: random(), cold: random(), rest: random() };
  }
}
