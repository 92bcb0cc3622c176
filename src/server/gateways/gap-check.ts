import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Database } from "../db/client.ts";
import { coalesced } from "../sending/coalesced.ts";
import type { InstanceAccess, ReadAccess } from "../transports/gateway/access.ts";
import type {
  EvolutionClient,
  MessageSearch,
  StoredMessage,
} from "../transports/gateway/evolution-client.ts";
import type { Receipt } from "../transports/transport.ts";
import { type Due, findDue, giveCheckBack, holdCheck, noteChecked } from "./gap-repo.ts";
import type { Intake } from "./webhook-effects.ts";

type Search = Pick<EvolutionClient, "findMessages">;

export type GapDeps = Intake & {
  database: Database;
  clock: Clock;
  log: Logger;
  access: ReadAccess;
  clientOf(access: InstanceAccess): Search;
  times?: GapTimes;
};

/** Milliseconds. */
export type GapTimes = {
  /** How often each connected instance is asked: a silence of its webhooks hides nothing for longer than five minutes. */
  every: number;
  /** How often a process looks whom to ask. */
  look: number;
  /** After a fault. */
  again: number;
  /** How far back each look goes for what became of our messages, and how far the one now and then. */
  back: number;
  farBack: number;
  /** How often it goes far. */
  far: number;
};

export const GAP_TIMES: GapTimes = {
  every: 180_000,
  look: 15_000,
  again: 60_000,
  back: 15 * 60_000,
  farBack: 24 * 3_600_000,
  far: 3_600_000,
};

export type GapCheck = { stop(): Promise<void> };

/** Clocks differ, and a message is stored some time after the second that it names. */
const OVERLAP_MS = 120_000;
const PAGE = 250;
/** More than this many are asked for in two halves. */
const MAX_PAGES = 40;
const SHORTEST_MS = 60_000;
/** Instances asked at once by one process, and of one account: a gateway may take as long as it likes over each page. */
const AT_ONCE = 4;
const OF_ACCOUNT = 2;

/**
 * Asks the gateways what their webhooks should have told: those are lost when they restart, and stop at times while everything looks
 * well. Every process looks; which of them asks for an instance is decided by a lock in the database.
 */
export function startGapCheck(deps: GapDeps): GapCheck {
  const { database, log, times = GAP_TIMES } = deps;
  const notBefore = new Map<number, number>();
  const farAt = new Map<number, number>();
  const running = new Map<Promise<void>, Due>();
  let stopped = false;

  async function look(): Promise<void> {
    if (stopped) return;
    try {
      const now = performance.now();
      for (const one of await findDue(database.db, times.every))
        if ((notBefore.get(one.connectionId) ?? 0) <= now && hasRoom(one)) start(one);
    } catch (error) {
      log.warn({ err: error }, "instances to ask could not be read, trying again");
    }
  }

  function hasRoom({ connectionId, accountId }: Due): boolean {
    const now = [...running.values()];
    const isRunning = now.some((one) => one.connectionId === connectionId);
    const ofAccount = now.filter((one) => one.accountId === accountId).length;
    return !stopped && !isRunning && now.length < AT_ONCE && ofAccount < OF_ACCOUNT;
  }

  function start(one: Due): void {
    const done = check(one).finally(() => {
      running.delete(done);
      loop.ask();
    });
    running.set(done, one);
  }

  /** One connection to the database holds the lock for as long as the gateway is asked. */
  async function check(due: Due): Promise<void> {
    const { connectionId } = due;
    const far = performance.now() - (farAt.get(connectionId) ?? Number.NEGATIVE_INFINITY) >= times.far;
    let wait = times.again;
    try {
      await database.session(async ({ db }) => {
        if (await holdCheck(db, connectionId)) {
          try {
            await askAll(deps, times, due, far);
          } finally {
            await giveCheckBack(db, connectionId);
          }
          if (far) farAt.set(connectionId, performance.now());
        }
        // Somebody else is asking, or nobody could be asked: no sooner than at the next look.
        wait = times.look;
      });
    } catch (error) {
      const fault = error instanceof AppError ? { code: error.code, ...error.details } : { err: error };
      log.info({ connectionId, ...fault }, "a gateway could not be asked for missing messages");
    }
    notBefore.set(connectionId, performance.now() + wait);
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

async function askAll(deps: GapDeps, times: GapTimes, due: Due, far: boolean): Promise<void> {
  const access = await deps.access(due.connectionId);
  if (!access) return;
  const client = deps.clientOf(access);
  const now = deps.clock.now();
  const from = new Date(Math.min(due.since.getTime() - OVERLAP_MS, now.getTime() - times.back));
  const to = await askBetween(deps, client, due, { name: access.name, from, to: now });
  if (far) {
    const back = new Date(now.getTime() - times.farBack);
    await askBetween(deps, client, due, { name: access.name, from: back, to: now, fromMe: true });
  }
  await noteChecked(deps.database.db, due.connectionId, to);
}

type Window = { name: string; from: Date; to: Date; fromMe?: true };

/** Takes in what the gateway has of a time. Answers until when: of a time with too many messages only its first part is asked for. */
async function askBetween(deps: GapDeps, client: Search, due: Due, window: Window): Promise<Date> {
  const { name, from, fromMe } = window;
  const search = (to: Date, page: number): MessageSearch => ({
    ...{ between: { from, to }, page, pageSize: PAGE },
    ...(fromMe ? { fromMe } : {}),
  });
  let { to } = window;
  let found = await client.findMessages(name, search(to, 1));
  while (found.pages > MAX_PAGES && to.getTime() - from.getTime() > SHORTEST_MS) {
    to = new Date((from.getTime() + to.getTime()) / 2);
    found = await client.findMessages(name, search(to, 1));
  }
  await takeInFound(deps, due, found.messages);
  // Ten thousand messages in the shortest time: more is what no gateway holds, and would be asked of it for ever.
  const pages = Math.min(found.pages, MAX_PAGES);
  for (let page = 2; page <= pages; page++)
    await takeInFound(deps, due, (await client.findMessages(name, search(to, page))).messages);
  return to;
}

async function takeInFound(deps: GapDeps, due: Due, found: readonly StoredMessage[]): Promise<void> {
  const { accountId, connectionId } = due;
  const messages = found.flatMap(({ message }) => message ?? []);
  const ours = messages.filter(({ fromMe }) => fromMe);
  // No time is told with what became of a message: it is known from now on.
  const at = deps.clock.now();
  const receipts = found.flatMap(({ message, providerId, statuses }): Receipt[] =>
    message?.fromMe ? statuses.map((status) => ({ messageId: providerId, status, at })) : [],
  );
  if (ours.length > 0) await deps.recordEchoes(connectionId, ours);
  if (messages.length > 0) await deps.receiveMessages({ accountId, connectionId }, messages);
  if (receipts.length > 0) await deps.settleReceipts(connectionId, receipts);
}
