import { sql } from "kysely";
import type { Logger } from "pino";
import type { Topic } from "../../contract/events.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { coalesced } from "../base/coalesced.ts";
import type { Database, Db } from "../db/client.ts";
import { wake } from "../sending/sending.ts";
import type { InstanceAccess, ReadAccess } from "../transports/gateway/access.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";
import type { Receipt } from "../transports/transport.ts";
import { type Due, findDue, giveCheckBack, holdCheck, noteChecked } from "./gap-repo.ts";
import { isWalked, startWalk, type Walk, walkOn } from "./gap-walk.ts";
import { noticeHook } from "./hook.ts";
import { noteKeeping } from "./keeps-messages.ts";
import type { Intake } from "./webhook-effects.ts";

type Search = Pick<EvolutionClient, "findMessages" | "findWebhook">;

export type GapDeps = Omit<Intake, "readElsewhere"> & {
  database: Database;
  clock: Clock;
  log: Logger;
  access: ReadAccess;
  clientOf(access: InstanceAccess): Search;
  mark(accountId: string, topic: Topic, id?: number): void;
  times?: GapTimes;
};

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

export type GapCheck = { stop(): Promise<void> };

/** Clocks differ and messages are stored late. */
export const OVERLAP_MS = 120_000;
const AT_ONCE = 4;
/** Slots open to slow instances; the others free up quickly. */
const SLOW_AT_ONCE = 2;

/**
 * Webhooks are lost when a gateway restarts and sometimes stop silently. Every process polls; a database lock
 * decides.
 */
export function startGapCheck(deps: GapDeps): GapCheck {
  const { database, log, times = GAP_TIMES } = deps;
  const notBefore = new Map<number, number>();
  const turns = new Map<string, number>();
  const slow = new Set<number>();
  const running = new Map<Promise<void>, Due>();
  const ask = gapAsker(deps, times);
  let stopped = false;

  async function look(): Promise<void> {
    if (stopped) return;
    try {
      const now = performance.now();
      for (const one of inTurns(await findDue(database.db, times.every)))
        if ((notBefore.get(one.connectionId) ?? 0) <= now && hasRoom(one)) start(one);
    } catch (error) {
      log.warn({ err: error }, "instances to ask could not be read, trying again");
    }
  }

  /** Longest-waiting account, then instance, by turn: by last answer, silent ones would always win. */
  function inTurns(due: readonly Due[]): Due[] {
    const account = ({ accountId }: Due) => turns.get(accountId) ?? 0;
    const instance = ({ connectionId }: Due) => notBefore.get(connectionId) ?? 0;
    return due.toSorted((a, b) => account(a) - account(b) || instance(a) - instance(b));
  }

  function hasRoom({ connectionId, accountId }: Due): boolean {
    const now = [...running.values()];
    return (
      !stopped &&
      now.length < AT_ONCE &&
      // Per account one, as its gateway may be slow.
      !now.some((one) => one.accountId === accountId) &&
      (!slow.has(connectionId) || now.filter((one) => slow.has(one.connectionId)).length < SLOW_AT_ONCE)
    );
  }

  function start(one: Due): void {
    turns.set(one.accountId, performance.now());
    const done = check(one).finally(() => {
      running.delete(done);
      loop.ask();
    });
    running.set(done, one);
  }

  async function check(due: Due): Promise<void> {
    const { connectionId } = due;
    const begun = performance.now();
    let wait = times.again;
    try {
      await database.session(async ({ db }) => {
        if (await holdCheck(db, connectionId)) {
          try {
            await ask(due, () => !stopped);
          } finally {
            await giveCheckBack(db, connectionId);
          }
        }
        // Locked, inaccessible or unfinished: retry at the next search.
        wait = times.look;
      });
    } catch (error) {
      const fault = error instanceof AppError ? { code: error.code, ...error.details } : { err: error };
      log.info({ connectionId, ...fault }, "a gateway could not be asked for missing messages");
    }
    const end = performance.now();
    if (end - begun > times.slow) slow.add(connectionId);
    else slow.delete(connectionId);
    notBefore.set(connectionId, end + wait);
  }

  const loop = coalesced(look);
  const timer = setInterval(loop.ask, times.look);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await Promise.all(running.keys());
      await loop.idle();
    },
  };
}

/** New messages, and occasionally statuses of the last day. `at`: another address has other pages. */
type Walks = { at: string; news?: Walk | undefined; far?: Walk | undefined; found: number };

function gapAsker(deps: GapDeps, times: GapTimes): (due: Due, mayGoOn: () => boolean) => Promise<void> {
  const underWay = new Map<number, Walks>();
  const farAt = new Map<number, number>();

  function begin({ connectionId, since }: Due, at: string): Walks {
    const before = underWay.get(connectionId);
    const { news, far, found = 0 } = before?.at === at ? before : {};
    const to = deps.clock.now();
    const back = (ms: number) => to.getTime() - ms;
    const from = new Date(Math.min(since.getTime() - OVERLAP_MS, back(times.back)));
    const isFarDue = performance.now() - (farAt.get(connectionId) ?? Number.NEGATIVE_INFINITY) >= times.far;
    const farWalk = () => startWalk({ from: new Date(back(times.farBack)), to, fromMe: true });
    return {
      at,
      news: news ?? startWalk({ from, to }),
      far: far ?? (isFarDue ? farWalk() : undefined),
      found,
    };
  }

  return async (due, mayGoOn) => {
    const { accountId, connectionId } = due;
    const access = await deps.access(connectionId);
    if (!access) return;
    const client = deps.clientOf(access);
    const end = performance.now() + times.budget;
    const walks = begin(due, `${access.baseUrl} ${access.name}`);
    underWay.set(connectionId, walks);
    const takeIn = (found: readonly StoredMessage[]) => {
      walks.found += found.length;
      return takeInFound(deps, due, found);
    };
    /** Returns until when all is processed; null when unfinished. Fetches at least one page. */
    async function goOn(which: "news" | "far"): Promise<Date | null> {
      for (let walk = walks[which], asked = 0; walk && mayGoOn(); walk = walks[which]) {
        if (asked++ > 0 && performance.now() >= end) return null;
        const next = await walkOn(client, access?.name ?? "", walk, takeIn);
        walks[which] = isWalked(next) ? undefined : next;
        if (isWalked(next)) return next.to;
      }
      return null;
    }
    const checkedTo = await goOn("news");
    await disproveRefusal(deps.database.db, connectionId);
    if (checkedTo) {
      await noteChecked(deps.database.db, connectionId, checkedTo);
      const asked = { connectionId, name: access.name, found: walks.found, client };
      if (await noteKeeping(deps.database.db, asked)) deps.mark(accountId, "connections", connectionId);
      walks.found = 0;
    }
    // Only after the news, but even without time left, or it might never run.
    const farTo = walks.news ? null : await goOn("far");
    if (farTo) farAt.set(connectionId, performance.now());
    if (!walks.news && !walks.far) underWay.delete(connectionId);
    if (!farTo) return;
    if (await noticeHook(deps.database.db, connectionId, () => client.findWebhook(access.name)))
      deps.mark(accountId, "connections", connectionId);
  };
}

/** A refused lane would retry only after minutes. */
async function disproveRefusal(db: Db, connectionId: number): Promise<void> {
  const { rows } = await sql`select from connection
    where id = ${connectionId} and state_reason in ('wrong_key', 'server_errors', 'unreachable')`.execute(db);
  if (rows.length > 0) await wake(db, connectionId, "poke");
}

export async function takeInFound(
  deps: Omit<Intake, "readElsewhere"> & { clock: Clock },
  { accountId, connectionId }: { accountId: string; connectionId: number },
  found: readonly StoredMessage[],
): Promise<void> {
  const messages = found.flatMap(({ message }) => message ?? []);
  const ours = messages.filter(({ fromMe }) => fromMe);
  // Statuses carry no time, so they count from now.
  const at = deps.clock.now();
  const receipts = found.flatMap(({ message, providerId, statuses }): Receipt[] =>
    message?.fromMe ? statuses.map((status) => ({ messageId: providerId, status, at })) : [],
  );
  if (ours.length > 0) await deps.recordOutgoing(connectionId, ours);
  if (messages.length > 0) await deps.receiveMessages({ accountId, connectionId }, messages);
  if (receipts.length > 0) await deps.settleReceipts(connectionId, receipts);
}
