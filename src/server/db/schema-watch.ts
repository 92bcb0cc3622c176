import { sql } from "kysely";
import type { Logger } from "pino";
import { coalesced } from "../base/coalesced.ts";
import type { Db } from "./client.ts";
import { executePrepared } from "./prepared.ts";

const LOOK_MS = 1_000;

export type SchemaWatchOptions = {
  db: Db;
  log: Logger;
  known: readonly string[];
  onNewer: () => void;
};

/**
 * A new version's start refuses while this process lives, but it may have been frozen or disconnected and
 * seemed dead.
 */
export class SchemaWatch {
  readonly #options: SchemaWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #looks = coalesced(() => this.#look());
  #isNewer = false;

  constructor(options: SchemaWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(this.#looks.ask, LOOK_MS);
    this.#timer.unref();
  }

  /** Rejects when the database does not answer. Stays true. */
  async isNewer(): Promise<boolean> {
    if (this.#isNewer) return true;
    const { db, log, known, onNewer } = this.#options;
    const found = await executePrepared(
      sql<{
        name: string;
      }>`select name from schema_migration where not name = any(${[...known]}::text[]) limit 1`,
      db,
    );
    const [newer] = found;
    if (!newer || this.#isNewer) return this.#isNewer;
    this.#isNewer = true;
    clearInterval(this.#timer);
    log.error(
      { migration: newer.name },
      "a newer version has changed the database: this process gives its numbers up and writes nothing more; end it",
    );
    onNewer();
    return true;
  }

  async #look(): Promise<void> {
    // A short outage is reported elsewhere; the next check is in a second.
    await this.isNewer().catch((error: unknown) =>
      this.#options.log.debug({ err: error }, "schema not looked at"),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looks.idle();
  }
}
