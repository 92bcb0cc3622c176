/** Successful linking takes four. */
const MANY = 10;
const WINDOW_MS = 10_000;
/** Polls are far apart and miss changes. */
const MANY_SEEN = 4;
const SEEN_WINDOW_MS = 60_000;

/**
 * Without a way to WhatsApp a gateway alternates `close` and `connecting` up to 60 times a second (recordings
 * 03, 11): events (`reported`) and polls (`seen`). `now`: monotonic ms.
 */
export class Flood {
  readonly #now: () => number;
  #reported: number[] = [];
  #seen: number[] = [];
  #state: string | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isRunning(): boolean {
    return (
      this.#countOf(this.#reported, WINDOW_MS) >= MANY ||
      this.#countOf(this.#seen, SEEN_WINDOW_MS) >= MANY_SEEN
    );
  }

  reported(): void {
    const at = this.#now();
    this.#reported = [...this.#reported.filter((one) => at - one < WINDOW_MS), at].slice(-MANY);
  }

  seen(state: string): void {
    if (this.#state !== null && this.#state !== state)
      this.#seen = [...this.#seen, this.#now()].slice(-MANY_SEEN);
    this.#state = state;
  }

  forget(): void {
    this.#reported = [];
    this.#seen = [];
    this.#state = null;
  }

  #countOf(times: readonly number[], windowMs: number): number {
    const at = this.#now();
    return times.filter((one) => at - one < windowMs).length;
  }
}
