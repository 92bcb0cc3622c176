import type { Clock } from "../../domain/clock.ts";

/** Milliseconds; an answer above `slow` makes its account slow for `slowFor`. */
export type SlowTimes = { slow: number; slowFor: number };

/** Slow accounts share a part of the slots and do not delay others. */
export class SlowAccounts {
  readonly #until = new Map<string, number>();
  readonly #times: SlowTimes;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(times: SlowTimes, clock: Pick<Clock, "monotonic">) {
    this.#times = times;
    this.#clock = clock;
  }

  has(accountId: string): boolean {
    return (this.#until.get(accountId) ?? 0) > this.#clock.monotonic();
  }

  note(accountId: string, since: number): void {
    const now = this.#clock.monotonic();
    if (now - since > this.#times.slow) this.#until.set(accountId, now + this.#times.slowFor);
    else if (!this.has(accountId)) this.#until.delete(accountId);
  }
}
