import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import { coalesced } from "../base/coalesced.ts";
import type { Database } from "../db/client.ts";
import { type Due, findDue, giveCheckBack, holdCheck } from "./gap-repo.ts";
import { GapSearch, type GapSearchDeps } from "./gap-search.ts";

export type GapDeps = GapSearchDeps & { database: Database; log: Logger; times?: GapTimes };

export type GapTimes = {
  /** Five minutes bound what silent webhooks can hide. */
  every: number;
  look: number;
  again: number;
  /** Reach of status checks, normally and occasionally. */
  back: number;
  farBack: number;
  far: number;
  /** Continues next turn: forty pages at fifteen seconds would occupy a slot for ten minutes. */
  budget: number;
  /** Slower instances use the few slow slots. */
  slow: number;
};

export const GAP_TIMES: GapTimes = {
  every: 180_000,
  look: 15_000,
  again: 60_000,
  back: 15 * 60_000,
  farBack: 24 * 3_600_000,
  far: 3_600_000,
  budget: 30_000,
  slow: 5_000,
};

const AT_ONCE = 4;
/** Slots open to slow instances; the others free up quickly. */
const SLOW_AT_ONCE = 2;

/**
 * Webhooks are lost when a gateway restarts and sometimes stop silently. Every process polls; a database lock
 * decides.
 */
export class GapCheck {
  readonly #deps: GapDeps;
  readonly #times: GapTimes;
  readonly #search: GapSearch;
  readonly #notBefore = new Map<number, number>();
  readonly #turns = new Map<string, number>();
  readonly #slow = new Set<number>();
  readonly #running = new Map<Promise<void>, Due>();
  readonly #loop = coalesced(() => this.#poll());
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(deps: GapDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? GAP_TIMES;
    this.#search = new GapSearch(deps, this.#times);
    this.#timer = setInterval(() => this.#loop.ask(), this.#times.look);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all(this.#running.keys());
    await this.#loop.idle();
  }

  async #poll(): Promise<void> {
    if (this.#closed) return;
    const { database, log } = this.#deps;
    try {
      const now = performance.now();
      for (const one of this.#inTurns(await findDue(database.db, this.#times.every)))
        if ((this.#notBefore.get(one.connectionId) ?? 0) <= now && this.#hasRoom(one)) this.#start(one);
    } catch (error) {
      log.warn({ err: error }, "instances to ask could not be read, trying again");
    }
  }

  /** Longest-waiting account, then instance, by turn: by last answer, silent ones would always win. */
  #inTurns(due: readonly Due[]): Due[] {
    const account = ({ accountId }: Due) => this.#turns.get(accountId) ?? 0;
    const instance = ({ connectionId }: Due) => this.#notBefore.get(connectionId) ?? 0;
    return due.toSorted((a, b) => account(a) - account(b) || instance(a) - instance(b));
  }

  #hasRoom({ connectionId, accountId }: Due): boolean {
    const now = [...this.#running.values()];
    if (this.#closed || now.length >= AT_ONCE) return false;
    // Per account one, as its gateway may be slow.
    if (now.some((one) => one.accountId === accountId)) return false;
    const isSlow = (one: number) => this.#slow.has(one);
    return !isSlow(connectionId) || now.filter((one) => isSlow(one.connectionId)).length < SLOW_AT_ONCE;
  }

  #start(one: Due): void {
    this.#turns.set(one.accountId, performance.now());
    const done = this.#check(one).finally(() => {
      this.#running.delete(done);
      this.#loop.ask();
    });
    this.#running.set(done, one);
  }

  async #check(due: Due): Promise<void> {
    const { connectionId } = due;
    const begun = performance.now();
    let wait = this.#times.again;
    try {
      await this.#searchLocked(due);
      // Locked, inaccessible or unfinished: retry at the next search.
      wait = this.#times.look;
    } catch (error) {
      const reason = error instanceof AppError ? { code: error.code, ...error.details } : { err: error };
      this.#deps.log.info({ connectionId, ...reason }, "a gateway could not be asked for missing messages");
    }
    const end = performance.now();
    if (end - begun > this.#times.slow) this.#slow.add(connectionId);
    else this.#slow.delete(connectionId);
    this.#notBefore.set(connectionId, end + wait);
  }

  #searchLocked(due: Due): Promise<void> {
    const { connectionId } = due;
    return this.#deps.database.session(async ({ db }) => {
      if (!(await holdCheck(db, connectionId))) return;
      try {
        await this.#search.run(due, () => !this.#closed);
      } finally {
        await giveCheckBack(db, connectionId);
      }
    });
  }
}
