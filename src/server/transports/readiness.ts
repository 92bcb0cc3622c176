import type { Clock } from "../../domain/clock.ts";

/** Whether a transport can send, and since when. */
export class Readiness {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #readyAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isReady(): boolean {
    return this.#readyAt !== null;
  }

  /** Monotonic ms; 0 if not ready. */
  readyFor(): number {
    return this.#readyAt === null ? 0 : this.#clock.monotonic() - this.#readyAt;
  }

  /** Returns the unsubscribe function. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  set(ready: boolean): void {
    if (ready === this.isReady) return;
    this.#readyAt = ready ? this.#clock.monotonic() : null;
    this.notify();
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
