import type { Logger } from "pino";
import { isDatabaseDown } from "../../db/errors.ts";

/**
 * Logs why a lane ends; it reopens either way. A database outage passes, but any other error is a bug and
 * needs its own log entry.
 */
export function reportLaneError(log: Logger, connectionId: number, error: unknown): void {
  const facts = { err: error, connectionId };
  if (isDatabaseDown(error)) log.warn(facts, "lane ends: the database does not answer");
  else log.error(facts, "lane ends: unforeseen error");
}
