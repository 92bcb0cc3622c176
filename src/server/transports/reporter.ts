import type { Logger } from "pino";
import { isDataError } from "../db/errors.ts";
import type { LaneHost, StateReport } from "./transport.ts";

export type Reporter = {
  /** Stores what the screens show; the newest report wins over those that wait. */
  say(report: StateReport): void;
  /** Resolves when the newest report is stored, or was refused. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const RETRY_MS = 1_000;

/**
 * Reports one after the other, so that the last word is the last stored. While the database is away the newest report waits for it.
 * `onLost` is called when a report was refused because the lane lost its ownership.
 */
export function makeReporter(host: LaneHost, log: Logger, onLost: () => void): Reporter {
  let next: StateReport | null = null;
  let active = false;
  let run: Promise<void> = Promise.resolve();
  let closed = false;

  async function store(): Promise<void> {
    while (next) {
      const report: StateReport = next;
      next = null;
      try {
        const kept = await host.report(report);
        if (!kept) onLost();
      } catch (error) {
        log.warn({ err: error }, "state of the connection not stored");
        if (closed) break;
        // It would be refused for ever, and whoever waits for it wait as long.
        if (isDataError(error)) continue;
        next ??= report;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    // In the same step as the last look at `next`: a report between them would wait for ever.
    active = false;
  }

  return {
    say: (report) => {
      if (closed) return;
      next = report;
      if (active) return;
      active = true;
      run = store();
    },
    flush: () => run,
    close: async () => {
      closed = true;
      await run;
    },
  };
}
