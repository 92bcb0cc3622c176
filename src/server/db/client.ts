import type { Readable, Writable } from "node:stream";
import { Kysely, type LogEvent, PostgresDialect, type PostgresPool } from "kysely";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Logger } from "pino";
import { processOf, watchSilence } from "./dead-connection-watchdog.ts";
import { sqlState } from "./errors.ts";
import { type Listener, listenOn } from "./listen.ts";
import { forgetPrepared, keepPlans, preparedName } from "./prepared.ts";
import { columnTypes } from "./types.ts";

/** The database or a transaction; use kysely's sql<Row>`…`.execute(db). */
export type Db = Kysely<unknown>;

export type Rows<Row> = { rows: Row[]; rowCount: number };

/** A prepared statement, planned once per connection (GENERAL_PLANS). */
export type Prepared = <Row>(name: string, text: string, values: unknown[]) => Promise<Rows<Row>>;

/** One pool connection without the statement limit: imports, exports, migrations. */
export type Session = {
  db: Db;
  prepared: Prepared;
  /** `copy … from stdin`: write, end the stream, await finish. Joins the open transaction. */
  copyIn(text: string): Writable;
  copyOut(text: string): Readable;
};

export type LentConnection = {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  /** Resolves once requested; failures are logged. */
  cancel(): Promise<void>;
  /** `broken`: closed instead of reused. */
  release(broken?: boolean): void;
};

export type Database = {
  db: Db;
  /** For a library with few constant statements, whose reads keep their plans. */
  kept: Db;
  /** `postgres://…`; a Unix socket in its `host` parameter. */
  url: string;
  /** Rows of all statements of a library's SQL text (jobs). */
  query<Row>(text: string, values?: unknown[]): Promise<Rows<Row>>;
  prepared: Prepared;
  session<T>(work: (session: Session) => Promise<T>): Promise<T>;
  lend(): Promise<LentConnection>;
  pool(): { open: number; idle: number; waiting: number };
  /** LISTEN on its own reconnecting connection; `onGap`: messages may be lost. */
  listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<Listener>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  log: Logger;
  /** Default 20; prepared statements have half as many extra. */
  max?: number;
  /** Idle lifetime in ms, default 60 s. */
  idleMs?: number;
  /** Application name, default `recado`. */
  name?: string;
  /** SQLSTATE of each failed statement. */
  failed?: (code: string | null) => void;
  /** Announced through the listening connection's name (living.ts). */
  identity?: string;
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

/** For a frozen process's session locks; those of gateway calls last a minute at most. */
const IDLE_SESSION_MS = 300_000;

/** Every process has such connections, commands have none. */
export const LISTENING = "recado-listen";

/** Connects at the first statement. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { log, name = "recado", statementTimeoutMs = 60_000, silenceMs = 15_000 } = options;
  const base = {
    connectionString: url,
    types: columnTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const max = options.max ?? 20;
  const pooled = {
    ...base,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: options.idleMs ?? 60_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: Math.min(statementTimeoutMs, IDLE_IN_TRANSACTION_MS),
  };
  const pool = new pg.Pool({ ...pooled, max, application_name: name });
  const keyed = new pg.Pool({
    ...pooled,
    max: Math.ceil(max / 2),
    application_name: `${name}-prepared`,
    options: GENERAL_PLANS,
  });
  const listening = options.identity === undefined ? LISTENING : `${LISTENING} ${options.identity}`;
  // Separate, since a pool full of slow statements has no connection left to cancel one.
  const cancelling = new pg.Pool({
    ...pooled,
    max: 1,
    application_name: `${name}-cancel`,
    // A dead connection would block the cancellation and the page's connection.
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    idleTimeoutMillis: 10_000,
  });
  let closing = false;
  // Without a listener an error of an idle or lent connection ends the process; its user's next statement
  // fails anyway.
  for (const one of [pool, keyed, cancelling]) {
    one.on("error", () => undefined);
    one.on("connect", (client) => {
      client.on("error", (error) => {
        if (!closing) log.warn({ err: error }, "database connection lost");
      });
    });
    endReadOnly(one);
  }
  const { unbounded } = watchSilence([pool, keyed], {
    config: base,
    silenceMs,
    longestMs: statementTimeoutMs + silenceMs,
  });
  const { failed } = options;
  const logging = failed
    ? { log: (event: LogEvent) => void (event.level === "error" && failed(sqlState(event.error))) }
    : {};
  const db: Db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }), ...logging });
  keepPlans(db, async <Row>(name: string, text: string, values: unknown[]) => {
    try {
      return rowsOf<Row>(await pool.query({ name, text, values }));
    } catch (error) {
      failed?.(sqlState(error));
      throw error;
    }
  });
  const sum = (of: (one: pg.Pool) => number) => of(pool) + of(keyed);

  return {
    db,
    kept: new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keeping(pool) }), ...logging }),
    pool: () => ({
      open: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    }),
    url,
    query: async <Row>(text: string, values: unknown[] = []) =>
      rowsOfAll<Row>(await pool.query(text, values)),
    prepared: preparedOn(keyed),
    session: (work) => withSession(pool, unbounded, work),
    async lend() {
      const client = await pool.connect();
      return {
        query: (config) => client.query(config),
        cancel: async () => {
          try {
            await cancelling.query("select pg_cancel_backend($1)", [processOf(client)]);
          } catch (error) {
            log.warn({ err: error }, "a statement could not be cancelled");
          }
        },
        release: (broken) => client.release(broken),
      };
    },
    listen: (channel, onMessage, onGap) =>
      listenOn({ ...base, application_name: listening }, { channel, onMessage, onGap, log }),
    async close() {
      closing = true;
      await Promise.all([pool.end(), keyed.end(), cancelling.end()]);
    },
  };
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

type Queryable = { query(config: pg.QueryConfig): Promise<pg.QueryResult> };

function rowsOf<Row>(result: pg.QueryResult): Rows<Row> {
  return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
}

/** Several statements return several results, which the driver's types omit. */
function rowsOfAll<Row>(answer: pg.QueryResult | pg.QueryResult[]): Rows<Row> {
  const results = [answer].flat();
  return {
    rows: results.flatMap(({ rows }) => rows as Row[]),
    rowCount: results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
  };
}

function preparedOn(client: Queryable): Prepared {
  return async <Row>(name: string, text: string, values: unknown[]) =>
    rowsOf<Row>(await client.query({ name, text, values }));
}

/** PostgreSQL: a prepared statement's columns changed. */
const OTHER_COLUMNS = "0A000";

/** A migration of a newer version may add columns to a `select *`; that text is then no longer prepared. */
function keeping(pool: pg.Pool): PostgresPool {
  const connect = async () => {
    const client = await pool.connect();
    const query = async (text: string, values: unknown[]) => {
      const name = text.startsWith("select ") ? preparedName(text) : undefined;
      if (name === undefined) return client.query(text, values);
      try {
        return await client.query({ name, text, values });
      } catch (error) {
        if (sqlState(error) !== OTHER_COLUMNS) throw error;
        forgetPrepared(text);
        return client.query(text, values);
      }
    };
    return { query, release: client.release.bind(client) } as unknown as pg.PoolClient;
  };
  return { options: pool.options, connect, end: async () => undefined };
}

/** Kysely over one client that we already hold. */
function dbOn(client: pg.ClientBase): Db {
  // No inheritance from the client: the driver keeps state in `this`.
  const held = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  const pool = { options: {}, connect: async () => held, end: async () => undefined };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

async function withSession<T>(
  pool: pg.Pool,
  unbounded: (client: pg.PoolClient) => void,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  unbounded(client);
  let broken = false;
  const onError = () => {
    broken = true;
  };
  client.on("error", onError);
  try {
    await client.query(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set idle_session_timeout = ${IDLE_SESSION_MS}`,
    );
    const result = await work({
      db: dbOn(client),
      prepared: preparedOn(client),
      copyIn: (text) => client.query(copyFrom(text)),
      copyOut: (text) => client.query(copyTo(text)),
    });
    await client.query(
      "reset statement_timeout; reset idle_in_transaction_session_timeout; reset idle_session_timeout",
    );
    return result;
  } catch (error) {
    // An open COPY or transaction may remain, so it is not reused.
    broken = true;
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
