import type { Clock } from "../../domain/clock.ts";

/** Times in milliseconds: an answer that took longer than `slow` makes its account slow for `slowFor`. */
export type SlowTimes = { slow: number; slowFor: number };

/** Remembers accounts whose Mistral takes its time. They share a part of a process's places, so that the others go on. */
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

  /** `since`: when the answer was begun, on the monotonic clock. */
  note(accountId: string, since: number): void {
    const now = this.#clock.monotonic();
    if (now - since > this.#times.slow) this.#until.set(accountId, now + this.#times.slowFor);
    else if (!this.has(accountId)) this.#until.delete(accountId);
  }
}
