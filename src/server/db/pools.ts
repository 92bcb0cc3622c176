import pg from "pg";
import type { Logger } from "pino";
import { processOf, type SilenceWatch, watchSilence } from "./dead-connection-watchdog.ts";
import { sqlState } from "./errors.ts";
import { columnTypes } from "./types.ts";

export type LentConnection = {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  /** Resolves once requested; failures are logged. */
  cancel(): Promise<void>;
  /** `broken`: closed instead of reused. */
  release(broken?: boolean): void;
};

export type PoolOptions = {
  log: Logger;
  /** Default 20; prepared statements have half as many extra. */
  max?: number;
  /** Idle lifetime in ms, default 60 s. */
  idleMs?: number;
  /** Application name, default `recado`. */
  name?: string;
  /** In ms, default 60 s. */
  statementTimeoutMs?: number;
  /**
   * Without an answer for this long, default 15 s, the connection is checked (dead-connection-watchdog.ts).
   */
  silenceMs?: number;
};

/**
 * By key one plan fits all. PostgreSQL could plan each call (0.6 ms for a turn of 0.3 ms), or keep scanning a
 * table that was small.
 */
const GENERAL_PLANS = ["plan_cache_mode=force_generic_plan", "enable_seqscan=off", "enable_hashjoin=off"]
  .map((setting) => `-c ${setting}`)
  .join(" ");

/**
 * Frees a frozen process's locks before its leases end (6 s), or no other process could acquire its
 * connections.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/** A dead connection would block the cancellation and the page's connection. */
const CANCELLING = {
  max: 1,
  connectionTimeoutMillis: 5_000,
  query_timeout: 5_000,
  idleTimeoutMillis: 10_000,
};

/** The connections of one database. */
export class Pools {
  /** How every connection is made. */
  readonly base: pg.ClientConfig;
  readonly work: pg.Pool;
  /** Of statements that are planned once per connection. */
  readonly prepared: pg.Pool;
  /** Separate, since a pool full of slow statements has no connection left to cancel one. */
  readonly #cancelling: pg.Pool;
  readonly #silence: SilenceWatch;
  readonly #log: Logger;
  #closing = false;

  constructor(url: string, options: PoolOptions) {
    const { log, max = 20, idleMs = 60_000, name = "recado" } = options;
    const { statementTimeoutMs = 60_000, silenceMs = 15_000 } = options;
    this.#log = log;
    this.base = {
      connectionString: url,
      types: columnTypes,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    };
    const pooled = {
      ...this.base,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: idleMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: Math.min(statementTimeoutMs, IDLE_IN_TRANSACTION_MS),
    };
    this.work = this.#open({ ...pooled, max, application_name: name });
    this.prepared = this.#open({
      ...pooled,
      max: Math.ceil(max / 2),
      application_name: `${name}-prepared`,
      options: GENERAL_PLANS,
    });
    this.#cancelling = this.#open({ ...pooled, ...CANCELLING, application_name: `${name}-cancel` });
    this.#silence = watchSilence([this.work, this.prepared], {
      config: this.base,
      silenceMs,
      longestMs: statementTimeoutMs + silenceMs,
    });
  }

  count(): { open: number; idle: number; waiting: number } {
    const sum = (of: (one: pg.Pool) => number) => of(this.work) + of(this.prepared);
    return {
      open: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    };
  }

  async lend(): Promise<LentConnection> {
    const client = await this.work.connect();
    return {
      query: (config) => client.query(config),
      cancel: () => this.#cancel(client),
      release: (broken) => client.release(broken),
    };
  }

  /** Until its release the connection may be silent for any time. */
  unbound(client: pg.PoolClient): void {
    this.#silence.unbounded(client);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([this.work.end(), this.prepared.end(), this.#cancelling.end()]);
  }

  /**
   * Without a listener an error of an idle or lent connection ends the process; its user's next statement
   * fails anyway.
   */
  #open(config: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool(config);
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      client.on("error", (error) => {
        if (!this.#closing) this.#log.warn({ err: error }, "database connection lost");
      });
    });
    endReadOnly(pool);
    return pool;
  }

  async #cancel(client: pg.PoolClient): Promise<void> {
    try {
      await this.#cancelling.query("select pg_cancel_backend($1)", [processOf(client)]);
    } catch (error) {
      this.#log.warn({ err: error }, "a statement could not be cancelled");
    }
  }
}

/** PostgreSQL: write in a read-only transaction. */
const READ_ONLY = "25006";

/** Write permission returns only to new connections; reused old ones refuse for ever. */
function endReadOnly(pool: pg.Pool): void {
  const refused = new WeakSet<pg.PoolClient>();
  pool.on("connect", (client) => {
    client.connection.on("errorMessage", (error) => {
      if (sqlState(error) === READ_ONLY) refused.add(client);
    });
  });
  pool.on("release", (_error, client) => {
    // The pool drops an ending client.
    if (refused.has(client)) client.end().catch(() => undefined);
  });
}
