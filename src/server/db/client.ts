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

/** The database or a transaction in it. SQL is written with kysely's `sql` tag: sql<Row>`…`.execute(db). */
export type Db = Kysely<unknown>;

export type Rows<Row> = { rows: Row[]; rowCount: number };

/**
 * Runs a statement that PostgreSQL plans once per connection under `name`: for the few that run thousands of times and find their rows
 * by key (GENERAL_PLANS says what that buys).
 */
export type Prepared = <Row>(name: string, text: string, values: unknown[]) => Promise<Rows<Row>>;

/** One connection of the pool for as long as the work takes, without the pool's statement limit: imports, exports, migrations. */
export type Session = {
  db: Db;
  prepared: Prepared;
  /** `copy … from stdin`: write the rows, end the stream, await its finish. Inside `db.transaction()` it is part of it. */
  copyIn(text: string): Writable;
  /** `copy … to stdout`. */
  copyOut(text: string): Readable;
};

/** A connection of the pool, until it is given back. */
export type LentConnection = {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  /** Ends in PostgreSQL what this connection asked for. Resolves when PostgreSQL was asked to; what could not be is logged. */
  cancel(): Promise<void>;
  /** `broken`: it is closed instead of being lent again. */
  release(broken?: boolean): void;
};

export type Database = {
  db: Db;
  /** The same for a library whose statements are its own, few and always the same texts: connections keep the plans of what it reads. */
  kept: Db;
  /** Where it is: `postgres://…`; a Unix socket stands in its `host` parameter. */
  url: string;
  /** For a library that brings its own SQL text (the job library), of several statements at times: the rows of all of them. */
  query<Row>(text: string, values?: unknown[]): Promise<Rows<Row>>;
  prepared: Prepared;
  /**
   * `copy … to stdout` over a connection of the pool, under its limits: `take` gets each piece as it comes and keeps nobody waiting, so
   * that whoever reads slowly holds no connection.
   */
  copyOut(text: string, take: (piece: Uint8Array) => void): Promise<void>;
  session<T>(work: (session: Session) => Promise<T>): Promise<T>;
  lend(): Promise<LentConnection>;
  /** Of the pools: connections that are open, those of them that nobody uses, and who waits for one. */
  pool(): { open: number; idle: number; waiting: number };
  /** LISTEN on a connection of its own that comes back by itself; `onGap` says that messages may have been missed. */
  listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<Listener>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  log: Logger;
  /** Connections of the pool, 20 unless said; the prepared statements have half as many of their own. */
  max?: number;
  /** How long a connection that is not used is kept, in milliseconds; 60 s unless said. */
  idleMs?: number;
  /** What its connections call themselves, `recado` unless said. */
  name?: string;
  /** Hears of each statement of `db` that failed, by its SQLSTATE. */
  failed?: (code: string | null) => void;
  /** What this process tells others of itself, by the name of its listening connections (living.ts). */
  identity?: string;
  /** The longest a pooled statement may run, in milliseconds; 60 s unless said. */
  statementTimeoutMs?: number;
  /** A pooled statement without an answer for so long is looked after (silent-wire.ts); 15 s unless said. */
  silenceMs?: number;
};

/**
 * For statements that find their rows by key one plan fits all values. Left to choose, PostgreSQL plans each call anew whenever its
 * guess of the general plan comes out dearer (0.6 ms for a turn that runs in 0.3 ms), and a plan made while a table was small would
 * read all of it when it has grown.
 */
const GENERAL_PLANS = ["plan_cache_mode=force_generic_plan", "enable_seqscan=off", "enable_hashjoin=off"]
  .map((setting) => `-c ${setting}`)
  .join(" ");

/**
 * A process that is frozen (or whose machine is gone) in the middle of a transaction keeps its locks until the server ends it: sooner than
 * its leases end (6 s), or nobody could take over the connection whose row it holds.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/**
 * Outside a transaction a session may hold a lock that others wait for, of a gateway while it is asked, say, which takes a minute at most:
 * of a process that is frozen the server ends it after so long.
 */
const IDLE_SESSION_MS = 300_000;

/** How the name of a connection that listens begins. Each process that is started has some, and no command. */
export const LISTENING = "recado-listen";

/** Opens a pool. Nothing is connected before the first statement. */
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
  // Of its own: a pool whose statements are all too slow has no connection left to end one of them.
  const cancelling = new pg.Pool({
    ...{ ...pooled, max: 1, application_name: `${name}-cancel` },
    // A wire that has fallen silent would keep the cancellation, and with it the connection of the page that was to end.
    ...{ connectionTimeoutMillis: 5_000, query_timeout: 5_000, idleTimeoutMillis: 10_000 },
  });
  let closing = false;
  // A connection that breaks while idle, or lent out between two statements of a transaction, is an event without a
  // listener otherwise, and ends the process. Whoever uses it is told by its next statement.
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
    ...{ config: base, silenceMs, longestMs: statementTimeoutMs + silenceMs },
  });
  const { failed } = options;
  const told = failed
    ? { log: (event: LogEvent) => void (event.level === "error" && failed(sqlState(event.error))) }
    : {};
  const db: Db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }), ...told });
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
    kept: new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keeping(pool) }), ...told }),
    pool: () => ({
      open: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    }),
    url,
    query: async <Row>(text: string, values: unknown[] = []) =>
      rowsOfAll<Row>(await pool.query(text, values)),
    prepared: preparedOn(keyed),
    copyOut: (text, take) => copyAll(pool, text, take),
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

/** What PostgreSQL answers to a write where only reading is allowed. */
const READ_ONLY = "25006";

/**
 * Who took the right to write from the user or the database gives it back to new connections alone: one that was opened meanwhile refuses
 * for as long as it lasts, which is for ever where it is used again and again.
 */
function endReadOnly(pool: pg.Pool): void {
  const refused = new WeakSet<pg.PoolClient>();
  pool.on("connect", (client) => {
    client.connection.on("errorMessage", (error) => {
      if (sqlState(error) === READ_ONLY) refused.add(client);
    });
  });
  pool.on("release", (_error, client) => {
    // The pool keeps none that is ending.
    if (refused.has(client)) client.end().catch(() => undefined);
  });
}

type Queryable = { query(config: pg.QueryConfig): Promise<pg.QueryResult> };

function rowsOf<Row>(result: pg.QueryResult): Rows<Row> {
  return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
}

/** A text of several statements is answered by one result each, which the driver's types keep to themselves. */
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

/** What PostgreSQL answers to a kept statement whose columns are others by now. */
const OTHER_COLUMNS = "0A000";

/**
 * A pool whose clients run what reads under a name of its text. A library may ask for all columns, and the migrations of a newer version
 * add some while this process still serves: such a text is not kept any more.
 */
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

/** A kysely over one client that is already ours: it takes and gives back the same one. */
function dbOn(client: pg.ClientBase): Db {
  // A plain object that calls the client, not one that inherits from it: the driver keeps its state in `this`.
  const held = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  const pool = { options: {}, connect: async () => held, end: async () => undefined };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

async function copyAll(pool: pg.Pool, text: string, take: (piece: Uint8Array) => void): Promise<void> {
  const client = await pool.connect();
  // Abandoned in the middle, it would give its next borrower what is left of this.
  let broken = true;
  try {
    const pieces = client.query(copyTo(text));
    // Told again when the connection is closed behind one that failed, and then nobody else listens.
    pieces.on("error", () => undefined);
    for await (const piece of pieces) take(piece);
    broken = false;
  } finally {
    client.release(broken);
  }
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
    // An abandoned COPY or transaction may still be open on it: nobody else may get this connection.
    broken = true;
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
