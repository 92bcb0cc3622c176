import type { Logger } from "pino";
import { isDataError } from "../db/errors.ts";
import type { LaneHost, StateReport } from "./transport.ts";

export type Reporter = {
  /** The newest report replaces waiting ones. */
  say(report: StateReport): void;
  /** Stored or refused. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const RETRY_MS = 1_000;

/**
 * In order; while the database is down only the newest waits. `onLost`: a report was refused because
 * ownership is lost.
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
        // `flush` would never resolve.
        if (isDataError(error)) continue;
        next ??= report;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    // A report between this and the last check would wait for ever.
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
