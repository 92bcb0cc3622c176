import { Kysely, type LogEvent, PostgresDialect, type PostgresPoolClient } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { searchInTurns } from "./by-index.ts";
import type { Database, Db, LentConnection } from "./client.ts";
import { isCancelled, sqlState } from "./errors.ts";
import { keepPlans } from "./prepared.ts";

/** A page that only asks is not waited for any longer. */
const READ_LIMIT_MS = 5_000;
/** As long as any statement waits for a connection. */
const WAIT_LIMIT_MS = 10_000;
const RETRY_AFTER_S = 5;

type Statement = { name?: string; text: string; values: unknown[] };

/** The turns of accounts (`FairQueue`), of which a connection takes one for as long as it is lent. */
export type Turns = {
  run<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  runUnrefused<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

/** A request of an account's page or program. */
export type PageCall = {
  accountId: string;
  /**
   * Of a request that only reads, aborted when its caller hangs up: its statements end then, or after five seconds. Null for what changes
   * something, which goes on under the pool's limit: half done it could leave at a gateway what no row names.
   */
  reading: AbortSignal | null;
};

export type PageStatementsOptions = {
  database: Pick<Database, "lend">;
  turns: Turns;
  /** Those of statements that read all people of a list or a campaign (`byIndex`), each the work of a processor for seconds. */
  searches: Turns;
  /** Hears of each statement that failed, by its SQLSTATE. */
  failed?: ((code: string | null) => void) | undefined;
  /** Milliseconds; tests wait less. */
  readLimitMs?: number;
  waitLimitMs?: number;
};

/** Gives each request its own way to the database, so that one account's slow or forgotten pages cost the others little. */
export class PageStatements {
  readonly #options: PageStatementsOptions;

  constructor(options: PageStatementsOptions) {
    this.#options = options;
  }

  dbOf(call: PageCall): Db {
    return new PageRequest(this.#options, call).db;
  }
}

/** The connections of one request. */
class PageRequest {
  readonly db: Db;
  readonly #options: PageStatementsOptions;
  readonly #call: PageCall;
  /** A part of its work is done: what follows waits, and is not refused. */
  #begun = false;
  #transactions = 0;

  constructor(options: PageStatementsOptions, call: PageCall) {
    this.#options = options;
    this.#call = call;
    const connect = () => this.#connect() as Promise<unknown> as Promise<PostgresPoolClient>;
    this.db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: { options: {}, connect, end: async () => undefined } }),
      log: (event: LogEvent) => void (event.level === "error" && this.#failed(event.error)),
    });
    searchInTurns(this.db, (work) => this.#inTurn(options.searches, work));
    keepPlans(this.db, (name, text, values) => this.#runNamed({ name, text, values }));
  }

  async #runNamed<Row>(statement: Statement): Promise<{ rows: Row[] }> {
    const connection = await this.#connect();
    try {
      const { rows } = await connection.run(statement);
      return { rows: rows as Row[] };
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      connection.release();
    }
  }

  #failed(error: unknown): void {
    if (!(error instanceof AppError)) this.#options.failed?.(sqlState(error));
  }

  #connect(): Promise<PageConnection> {
    // Inside its own transaction a request takes no further turn: the transaction would keep the turn that it waits for.
    if (this.#transactions > 0) return this.#lend(() => undefined);
    return new Promise((resolve, reject) => {
      const lend = () =>
        new Promise<void>((end) => {
          this.#lend(end).then(resolve, (error: unknown) => {
            reject(error);
            end();
          });
        });
      this.#inTurn(this.#options.turns, lend).catch(reject);
    });
  }

  #inTurn<T>(turns: Turns, work: () => Promise<T>): Promise<T> {
    const { accountId, reading } = this.#call;
    if (this.#begun && !reading) return turns.runUnrefused(accountId, work);
    const wait = this.#waiting();
    const start = () => {
      wait.over();
      return work();
    };
    return turns.run(accountId, start, wait.signal).finally(wait.over);
  }

  /** How long a request that changes nothing waits for its turn. */
  #waiting(): { signal?: AbortSignal; over(): void } {
    const { reading } = this.#call;
    if (!reading) return { over: () => undefined };
    const waiting = new AbortController();
    const leave = () => waiting.abort(hungUp());
    const late = () => waiting.abort(new AppError("too_many_requests", { retryAfter: RETRY_AFTER_S }));
    const timer = setTimeout(late, this.#options.waitLimitMs ?? WAIT_LIMIT_MS);
    if (reading.aborted) leave();
    reading.addEventListener("abort", leave);
    const over = () => {
      clearTimeout(timer);
      reading.removeEventListener("abort", leave);
    };
    return { signal: waiting.signal, over };
  }

  async #lend(end: () => void): Promise<PageConnection> {
    const lent = await this.#options.database.lend();
    this.#begun = true;
    const { reading } = this.#call;
    const limits = reading ? { signal: reading, limitMs: this.#options.readLimitMs ?? READ_LIMIT_MS } : null;
    const begin = () => {
      this.#transactions += 1;
    };
    const released = (inTransaction: boolean) => {
      if (inTransaction) this.#transactions -= 1;
      end();
    };
    return new PageConnection(lent, limits, { begin, released });
  }
}

/** `limits`: null for what goes on to its end. */
type Limits = { signal: AbortSignal; limitMs: number } | null;
type Life = { begin(): void; released(inTransaction: boolean): void };

/** A connection that is lent to a request, as Kysely uses one. */
class PageConnection {
  readonly #lent: LentConnection;
  readonly #limits: Limits;
  readonly #life: Life;
  #inTransaction = false;
  /** Until PostgreSQL has heard of it a cancellation could meet the next statement of this connection. */
  #cancelled: Promise<void> = Promise.resolve();

  constructor(lent: LentConnection, limits: Limits, life: Life) {
    this.#lent = lent;
    this.#limits = limits;
    this.#life = life;
  }

  query(text: string, values: readonly unknown[]): Promise<unknown> {
    return this.run({ text, values: [...values] });
  }

  async run(statement: Statement): Promise<{ rows: unknown[] }> {
    if (/^(begin|start transaction)/.test(statement.text) && !this.#inTransaction) {
      this.#inTransaction = true;
      this.#life.begin();
    }
    await this.#cancelled;
    return this.#limits && statement.text !== "rollback"
      ? this.#runLimited(statement, this.#limits)
      : this.#lent.query(statement);
  }

  release(broken?: boolean): void {
    void this.#cancelled.then(() => {
      this.#lent.release(broken);
      this.#life.released(this.#inTransaction);
    });
  }

  async #runLimited(statement: Statement, { signal, limitMs }: NonNullable<Limits>) {
    if (signal.aborted) throw hungUp();
    let reason: AppError | null = null;
    const cancel = (why: AppError) => {
      if (reason) return;
      reason = why;
      this.#cancelled = this.#lent.cancel();
    };
    const leave = () => cancel(hungUp());
    const timer = setTimeout(() => cancel(new AppError("took_too_long")), limitMs);
    signal.addEventListener("abort", leave);
    try {
      return await this.#lent.query(statement);
    } catch (error) {
      throw isCancelled(error) ? (reason ?? error) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
  }
}

/** No answer is read any more; that of a body that was broken off is the same. */
const hungUp = () => new AppError("invalid_request");
