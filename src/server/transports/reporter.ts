import type { Logger } from "pino";
import { isDataError } from "../db/errors.ts";
import type { LaneHost, StateReport } from "./transport.ts";

const RETRY_MS = 1_000;

/**
 * Stores reports in order; while the database is down only the newest waits. `onLost`: a report was refused
 * because ownership is lost.
 */
export class Reporter {
  readonly #host: Pick<LaneHost, "report">;
  readonly #log: Logger;
  readonly #onLost: () => void;
  #next: StateReport | null = null;
  #isStoring = false;
  #run: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(host: Pick<LaneHost, "report">, log: Logger, onLost: () => void) {
    this.#host = host;
    this.#log = log;
    this.#onLost = onLost;
  }

  /** The newest report replaces waiting ones. */
  say(report: StateReport): void {
    if (this.#closed) return;
    this.#next = report;
    if (this.#isStoring) return;
    this.#isStoring = true;
    this.#run = this.#store();
  }

  /** Stored or refused. */
  flush(): Promise<void> {
    return this.#run;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#run;
  }

  async #store(): Promise<void> {
    while (this.#next) {
      const report: StateReport = this.#next;
      this.#next = null;
      try {
        const kept = await this.#host.report(report);
        if (!kept) this.#onLost();
      } catch (error) {
        this.#log.warn({ err: error }, "state of the connection not stored");
        if (this.#closed) break;
        // `flush` would never resolve.
        if (isDataError(error)) continue;
        this.#next ??= report;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    // A report between this and the last check would wait for ever.
    this.#isStoring = false;
  }
}
