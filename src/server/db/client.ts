import type { Readable, Writable } from "node:stream";
import { Kysely, type LogEvent, PostgresDialect, type PostgresPool } from "kysely";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { sqlState } from "./errors.ts";
import { type Listener, listenOn } from "./listen.ts";
import { type LentConnection, type PoolOptions, Pools } from "./pools.ts";
import { forgetPrepared, keepPlans, preparedName } from "./prepared.ts";

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

export type DatabaseOptions = PoolOptions & {
  /** SQLSTATE of each failed statement. */
  failed?: (code: string | null) => void;
  /** Announced through the listening connection's name (living.ts). */
  identity?: string;
};

/** For a frozen process's session locks; those of gateway calls last a minute at most. */
const IDLE_SESSION_MS = 300_000;

/** Every process has such connections, commands have none. */
export const LISTENING = "recado-listen";

/** Connects at the first statement. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { log, failed } = options;
  const pools = new Pools(url, options);
  const { work: pool } = pools;
  const listening = options.identity === undefined ? LISTENING : `${LISTENING} ${options.identity}`;
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
  return {
    db,
    kept: new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keeping(pool) }), ...logging }),
    pool: () => pools.count(),
    url,
    query: async <Row>(text: string, values: unknown[] = []) =>
      rowsOfAll<Row>(await pool.query(text, values)),
    prepared: preparedOn(pools.prepared),
    session: (work) => withSession(pools, work),
    lend: () => pools.lend(),
    listen: (channel, onMessage, onGap) =>
      listenOn({ ...pools.base, application_name: listening }, { channel, onMessage, onGap, log }),
    close: () => pools.close(),
  };
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

async function withSession<T>(pools: Pools, work: (session: Session) => Promise<T>): Promise<T> {
  const client = await pools.work.connect();
  pools.unbound(client);
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
