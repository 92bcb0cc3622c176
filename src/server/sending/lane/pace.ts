import type { Clock } from "../../../domain/clock.ts";
import { gapOf, gridAfter } from "../../../domain/pacing.ts";
import type { PlanGate } from "./plan-gate.ts";
import type { Recipient } from "./recipient.ts";

type Paced = { intervalS: number; extraS: number };

/**
 * How early a message may be claimed, in ms: database time then stays out of the gap, and one turn records
 * and claims at 1 s intervals. Not longer, since a crash leaves claimed people in doubt.
 */
const AHEAD_MS = 1_000;
const CLEAR_MS = 100;

/** A lane's position on its pacing grid (src/domain/pacing.ts); times are monotonic ms. */
export class Pace {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #claimsEarly: boolean;
  readonly #plan: Pick<PlanGate, "isOn" | "dueIn" | "leavesIn">;
  #campaigns: readonly Paced[] = [];
  #isOn = false;
  #last: number | null = null;
  #drawn: { after: number; share: number } | null = null;

  /** `claimsEarly`: claims before the due time. */
  constructor(
    clock: Clock,
    random: () => number,
    claimsEarly: boolean,
    plan: Pick<PlanGate, "isOn" | "dueIn" | "leavesIn">,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#claimsEarly = claimsEarly;
    this.#plan = plan;
  }

  /** Ms since the last claim before this lane, or null, so that a restart keeps the distance. */
  startFrom(sinceLast: number | null): void {
    this.#last = sinceLast === null ? null : this.#clock.monotonic() - Math.max(0, sinceLast - AHEAD_MS);
  }

  follow(campaigns: readonly Paced[]): void {
    this.#campaigns = campaigns;
    this.#isOn = gapOf(campaigns, 0) > 0 || campaigns.some((one) => one.extraS > 0);
  }

  isOn(): boolean {
    return this.#isOn || this.#plan.isOn();
  }

  claimIn(): number {
    return Math.max(this.#dueIn(), this.#plan.dueIn()) - (this.#claimsEarly ? AHEAD_MS : 0);
  }

  /** Retries need not wait for the grid, direct messages for nothing. */
  leavesIn(recipient: Recipient): number {
    if (recipient.kind === "direct") return 0;
    const { tries, ambiguous } = recipient.person;
    const onGrid = tries > 0 && !ambiguous ? 0 : this.#dueIn();
    return Math.max(onGrid, this.#plan.leavesIn(recipient));
  }

  /** The time, moved later if a message is about to be due. */
  clearOf(at: number): number {
    if (!this.isOn()) return at;
    const due = this.#clock.monotonic() + Math.max(this.#dueIn(), this.#plan.dueIn());
    return Math.abs(at - due) < CLEAR_MS ? due + CLEAR_MS : at;
  }

  /** Retries do not move the grid; neither do direct messages, or a stream of them would starve campaigns. */
  takeSlot(isDirect: boolean): void {
    const now = this.#clock.monotonic();
    if (this.#last === null || !this.#isOn) this.#last = now;
    else if (!isDirect && this.#dueIn() <= 0) {
      const distance = this.#gap(this.#last);
      this.#last = gridAfter(this.#last + distance, now, distance);
    }
  }

  #dueIn(): number {
    if (this.#last === null || !this.#isOn) return 0;
    return this.#last + this.#gap(this.#last) - this.#clock.monotonic();
  }

  /** Drawn once per gap: a draw at every look would let the smallest win. */
  #gap(after: number): number {
    if (this.#drawn?.after !== after) this.#drawn = { after, share: this.#random() };
    return gapOf(this.#campaigns, this.#drawn.share);
  }
}
