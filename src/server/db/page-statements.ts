import { Kysely, type LogEvent, PostgresDialect, type PostgresPoolClient } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { searchInTurns } from "./by-index.ts";
import type { Database, Db } from "./client.ts";
import { isCancelled, sqlState } from "./errors.ts";
import type { LentConnection } from "./pools.ts";
import { keepPlans } from "./prepared.ts";

const READ_LIMIT_MS = 5_000;
/** Like the pool's. */
const WAIT_LIMIT_MS = 10_000;
const RETRY_AFTER_S = 5;

type Statement = { name?: string; text: string; values: unknown[] };

/** Per-account turns (`FairQueue`); a connection holds one while lent. */
export type Turns = {
  run<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  runUnrefused<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

export type PageCall = {
  accountId: string;
  /**
   * Aborted when the caller hangs up: statements end then or after five seconds. Null for writes: half done
   * they could leave something unrecorded at a gateway.
   */
  reading: AbortSignal | null;
};

export type PageStatementsOptions = {
  database: Pick<Database, "lend">;
  turns: Turns;
  /** For scans of a list's or campaign's people (`byIndex`): seconds of CPU each. */
  searches: Turns;
  failed?: ((code: string | null) => void) | undefined;
  readLimitMs?: number;
  waitLimitMs?: number;
};

/** A database per request, so that one account's slow or abandoned pages hardly slow others. */
export class PageStatements {
  readonly #options: PageStatementsOptions;

  constructor(options: PageStatementsOptions) {
    this.#options = options;
  }

  dbOf(call: PageCall): Db {
    return new PageRequest(this.#options, call).db;
  }
}

class PageRequest {
  readonly db: Db;
  readonly #options: PageStatementsOptions;
  readonly #call: PageCall;
  /** Once part of the work is done, the rest waits instead of being refused. */
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
    // Inside its transaction a request takes no more turns, or it would wait for itself.
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

/** `limits` null: runs to its end. */
type Limits = { signal: AbortSignal; limitMs: number } | null;
type Life = { begin(): void; released(inTransaction: boolean): void };

class PageConnection {
  readonly #lent: LentConnection;
  readonly #limits: Limits;
  readonly #life: Life;
  #inTransaction = false;
  /** Until sent, a cancellation could hit this connection's next statement. */
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

/** The answer is not read any more. */
const hungUp = () => new AppError("invalid_request");
