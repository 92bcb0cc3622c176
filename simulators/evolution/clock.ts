import { makeSchedule } from "../whatsapp/schedule.ts";

export class Clock {
  readonly #schedule: ReturnType<typeof makeSchedule>;
  readonly #sleepers = new Set<() => void>();
  #held = false;
  #waiting = 0;
  #running = 0;

  constructor(now?: () => number) {
    this.#schedule = makeSchedule(now);
  }

  now(): number {
    return this.#schedule.now();
  }

  iso(): string {
    return new Date(this.now()).toISOString();
  }

  /** `idle` waits for it. */
  soon(ms: number, task: () => void): void {
    this.#waiting += 1;
    this.#schedule.after(ms, () => {
      this.#waiting -= 1;
      task();
      this.#wakeIfIdle();
    });
  }

  /** Recurring (QR codes, loops): `idle` does not wait. */
  sometime(ms: number, task: () => void): void {
    this.#schedule.after(ms, task);
  }

  sleep(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.#schedule.after(ms, resolve));
  }

  begin(): () => void {
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#wakeIfIdle();
    };
  }

  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
    });
  }

  hold(): void {
    this.#held = true;
    this.#schedule.hold();
    this.#wakeIfIdle();
  }

  advance(ms: number): number {
    return this.#schedule.advance(ms);
  }

  release(): void {
    this.#held = false;
    this.#schedule.release();
  }

  clear(): void {
    this.#schedule.clear();
    this.#waiting = 0;
    this.#wakeIfIdle();
  }

  #isIdle(): boolean {
    return this.#running === 0 && (this.#held || this.#waiting === 0);
  }

  #wakeIfIdle(): void {
    if (!this.#isIdle()) return;
    for (const wake of [...this.#sleepers]) wake();
  }
}
