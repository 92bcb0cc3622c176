import { sql } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";

export type SlowCounterOptions = {
  name: string;
  free: number;
  seconds: number;
};

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
/** Ten doublings of 2 s exceed the longest wait. */
const DOUBLINGS_MOST = 10;

/**
 * Refused attempts are not counted, so no one waits more than a minute. Shared by all processes in the
 * database.
 */
export class SlowCounter {
  readonly #db: Db;
  readonly #clock: Pick<Clock, "now">;
  readonly #options: SlowCounterOptions;

  constructor(db: Db, clock: Pick<Clock, "now">, options: SlowCounterOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#options = options;
  }

  /** Throws `too_many_requests` {retryAfter: s}. */
  async count(key: string): Promise<number> {
    const { free, seconds } = this.#options;
    const [now, memory] = [this.#clock.now().getTime(), seconds * 1_000];
    const { rows } = await sql<{ points: number }>`
      insert into rate_limit as r (key, points, expire) values (${this.#key(key)}, 1, ${now + memory})
      on conflict (key) do update
        set points = case when r.expire <= ${now} then 1 else r.points + 1 end, expire = ${now + memory}
        where r.expire <= ${now} or r.points < ${free}
          or ${now} >= r.expire - ${memory}::bigint + least(${LONGEST_WAIT_MS}::bigint,
            ${FIRST_WAIT_MS}::bigint * power(2, least(r.points - ${free}, ${DOUBLINGS_MOST}))::bigint)
      returning points`.execute(this.#db);
    if (rows[0]) return rows[0].points;
    throw new AppError("too_many_requests", { retryAfter: await this.#waitSeconds(key, now) });
  }

  async giveBack(key: string): Promise<void> {
    await sql`update rate_limit set points = greatest(points - 1, 0) where key = ${this.#key(key)}`.execute(
      this.#db,
    );
  }

  async forget(key: string): Promise<void> {
    await sql`delete from rate_limit where key = ${this.#key(key)}`.execute(this.#db);
  }

  #key(key: string): string {
    return `${this.#options.name}:${key}`;
  }

  async #waitSeconds(key: string, now: number): Promise<number> {
    const { free, seconds } = this.#options;
    const { rows } = await sql<{ points: number; expire: string }>`
      select points, expire from rate_limit where key = ${this.#key(key)}`.execute(this.#db);
    const [row] = rows;
    if (!row) return 1;
    const doubled = FIRST_WAIT_MS * 2 ** Math.min(row.points - free, DOUBLINGS_MOST);
    const until = Number(row.expire) - seconds * 1_000 + Math.min(LONGEST_WAIT_MS, doubled);
    return Math.max(1, Math.ceil((until - now) / 1_000));
  }
}
