import { backoffMs } from "../backoff.ts";

/** When to connect again; pauses grow with failures in a row. */
export class NextAttempt {
  readonly #connect: () => void;
  readonly #random: () => number;
  readonly #steps: readonly number[];
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(connect: () => void, random: () => number, steps: readonly number[]) {
    this.#connect = connect;
    this.#random = random;
    this.#steps = steps;
  }

  get isPlanned(): boolean {
    return this.#timer !== undefined;
  }

  in(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#connect();
    }, delayMs);
  }

  afterFailure(): void {
    this.in(this.#pause());
    this.#failures += 1;
  }

  /** At once the first time, then as after a failure. */
  afterRestart(): void {
    this.in(this.#failures === 0 ? 0 : this.#pause());
    this.#failures += 1;
  }

  forgetFailures(): void {
    this.#failures = 0;
  }

  /** From now on with the longest pause. */
  slowDown(): void {
    this.#failures = this.#steps.length;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pause(): number {
    return backoffMs(this.#failures, this.#random, this.#steps);
  }
}
