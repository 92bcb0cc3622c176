import { setImmediate } from "node:timers/promises";

/** Far below the 50 ms for which no work may hold up what others ask for. */
const WORK_MS = 10;
/** The clock is asked once for so many questions: it would cost more than the work that it measures. */
const QUESTIONS = 8;

/** Parts long work of the processor into pieces between which the process does what else waits. */
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
