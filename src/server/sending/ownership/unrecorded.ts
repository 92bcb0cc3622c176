import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { isDataError } from "../../db/errors.ts";
import type { UnrecordedOutcome } from "../lane/lane-deps.ts";
import { settle } from "../ledger/settle.ts";
import { settleAccepted } from "../receipts/provider-messages.ts";

/** Outcomes that closed lanes could not record while the database was away, by connection. */
export class UnrecordedOutcomes {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #outcomes = new Map<number, UnrecordedOutcome[]>();

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  add(connectionId: number, outcomes: readonly UnrecordedOutcome[]): void {
    if (outcomes.length === 0) return;
    this.#outcomes.set(connectionId, [...(this.#outcomes.get(connectionId) ?? []), ...outcomes]);
  }

  async flushAll(): Promise<void> {
    for (const connectionId of this.#outcomes.keys()) await this.flush(connectionId);
  }

  async flush(connectionId: number): Promise<void> {
    const rest = this.#outcomes.get(connectionId) ?? [];
    this.#outcomes.delete(connectionId);
    for (let one = rest.shift(); one; one = rest.shift()) {
      try {
        await this.#record(connectionId, one);
      } catch (error) {
        // Otherwise this process could never acquire the lane again; its people are in doubt and searched
        // for.
        if (isDataError(error)) {
          this.#log.error({ err: error, connectionId }, "what a lane owed cannot be recorded");
          continue;
        }
        this.add(connectionId, [one, ...rest]);
        throw error;
      }
    }
  }

  async #record(connectionId: number, one: UnrecordedOutcome): Promise<void> {
    if ("accepted" in one) return settleAccepted(this.#database, connectionId, one.accepted);
    const { campaignId, moves, options } = one;
    await this.#database.db.transaction().execute((tx) => settle(tx, campaignId, moves, options));
  }
}
