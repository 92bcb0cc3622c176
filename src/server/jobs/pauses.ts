import { setImmediate } from "node:timers/promises";

const WORK_MS = 10;
/** Reads the clock once per this many calls, as reading costs more than the work. */
const QUESTIONS = 8;

/** Splits CPU work so that the event loop stays responsive. */
export class Pauses {
  #since = performance.now();
  #asked = 0;

  isDue(): boolean {
    if (++this.#asked % QUESTIONS !== 0) return false;
    return performance.now() - this.#since >= WORK_MS;
  }

  async take(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
