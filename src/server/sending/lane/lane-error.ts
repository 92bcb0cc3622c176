import type { Logger } from "pino";
import { isDatabaseDown } from "../../db/errors.ts";

/**
 * Tells why a lane ends; its owner opens it again either way. A database that is away is known elsewhere and passes. Anything else is a
 * fault of ours that comes again, and under the database's name nobody would look for it here.
 */
export function reportLaneError(log: Logger, connectionId: number, error: unknown): void {
  const facts = { err: error, connectionId };
  if (isDatabaseDown(error)) log.warn(facts, "lane ends: the database does not answer");
  else log.error(facts, "lane ends: unforeseen fault");
}
