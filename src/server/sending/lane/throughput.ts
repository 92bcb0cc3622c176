import type { Clock } from "../../../domain/clock.ts";

/** Counting window in ms: short, to follow a channel that slows down. */
const WINDOW_MS = 50;

export class Throughput {
  readonly #clock: Clock;
  #since: number;
  #count = 0;
  #perSecond = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  count(): void {
    this.#count += 1;
    // Reading the clock each time would be the costliest part at thousands of messages a second.
    if (this.#count % 8 !== 0) return;
    const now = this.#clock.monotonic();
    if (now - this.#since < WINDOW_MS) return;
    this.#perSecond = (this.#count / (now - this.#since)) * 1000;
    this.#since = now;
    this.#count = 0;
  }

  perSecond(): number {
    return this.#perSecond;
  }
}
