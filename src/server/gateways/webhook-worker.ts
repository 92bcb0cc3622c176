import type { Logger } from "pino";
import type { Topic } from "../../contract/events.ts";
import type { Db } from "../db/client.ts";
import { coalesced } from "../sending/coalesced.ts";
import { readWebhook } from "../transports/gateway/webhook-events.ts";
import { type Intake, keepIfOdd, takeIn } from "./webhook-effects.ts";
import { noteArrivals, noteStamp, type StateToRead, takeEvents, takeStates } from "./webhook-repo.ts";

export type WorkerDeps = Intake & {
  db: Db;
  log: Logger;
  /** Tells the lane of an instance, when the transaction commits, that its gateway has news of its state or its QR code. */
  poke(tx: Db, connectionId: number): Promise<void>;
  mark(accountId: string, topic: Topic, id?: number): void;
  /** Messages wait to be passed on. */
  relay(): void;
  times?: WorkerTimes;
};

/** Milliseconds. */
export type WorkerTimes = {
  /** How often a process looks without being told: for what another one stored and could not take in. */
  poll: number;
  /** Of states and codes: one that loops sixty times a second is news four times a second. */
  states: number;
  /** How often the time of an instance's last event is written. */
  arrivals: number;
};

const WORKER_TIMES: WorkerTimes = { poll: 1_000, states: 250, arrivals: 5_000 };

export type WebhookWorker = {
  /** Something was stored. */
  wake(): void;
  /** What is being taken in is finished; the rest stays stored. */
  stop(): Promise<void>;
};

/**
 * Takes in what the receiver stored, in every process at once: rows are held while their effects are made and gone when they are. A crash
 * in between leaves them for the next one, and effects are safe to repeat.
 */
export function startWebhookWorker(deps: WorkerDeps): WebhookWorker {
  const { db, log, times = WORKER_TIMES } = deps;
  const arrivals = arrivalNotes(deps, times);
  let statesAt = Number.NEGATIVE_INFINITY;
  let later: NodeJS.Timeout | undefined;
  let stopped = false;

  async function work(): Promise<void> {
    try {
      // Between batches as well: where messages come faster than they are taken in, there is always one more.
      do {
        await states();
        await arrivals.write();
      } while (!stopped && (await batch()));
    } catch (error) {
      // Nothing is lost: what was not committed is taken again at the next look.
      log.warn({ err: error }, "webhooks could not be taken in, trying again");
    }
  }

  async function batch(): Promise<boolean> {
    const rows = await db.transaction().execute(async (tx) => {
      const taken = await takeEvents(tx);
      if (taken.length > 0) await takeIn(deps, tx, taken);
      return taken;
    });
    arrivals.note(rows);
    if (rows.some((row) => row.relays)) deps.relay();
    return rows.length > 0;
  }

  async function states(): Promise<void> {
    const wait = statesAt + times.states - performance.now();
    if (wait > 0) {
      later ??= setTimeout(look, wait);
      return;
    }
    statesAt = performance.now();
    const rows = await db.transaction().execute(async (tx) => {
      const taken = await takeStates(tx);
      for (const row of taken) if (await isNews(tx, row)) await deps.poke(tx, row.connectionId);
      return taken;
    });
    arrivals.note(rows);
  }

  function look(): void {
    later = undefined;
    if (!stopped) loop.ask();
  }

  const loop = coalesced(work);
  const poll = setInterval(() => loop.ask(), times.poll);
  loop.ask();
  return {
    wake: () => loop.ask(),
    async stop() {
      stopped = true;
      clearInterval(poll);
      clearTimeout(later);
      await loop.idle();
    },
  };
}

/** The newest state of an instance is news when nothing newer is known. What it is the gateway itself is asked. */
async function isNews(tx: Db, row: StateToRead): Promise<boolean> {
  if (row.accountId === null) return false;
  const { content, stamp } = read(row);
  if (content.kind === "state") return noteStamp(tx, row.connectionId, "state", stamp);
  if (content.kind === "qr" || content.kind === "qr_limit")
    return noteStamp(tx, row.connectionId, "qr", stamp);
  await keepIfOdd(tx, row, content);
  return false;
}

/** The receiver stored only what is JSON. */
const read = ({ body, receivedAt }: StateToRead) => readWebhook(JSON.parse(body), receivedAt);

function arrivalNotes({ db, mark }: WorkerDeps, { arrivals: every }: WorkerTimes) {
  const noted = new Map<number, Date>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    note(rows: readonly StateToRead[]): void {
      for (const { connectionId, receivedAt } of rows) {
        const before = noted.get(connectionId);
        if (!before || before < receivedAt) noted.set(connectionId, receivedAt);
      }
    },
    async write(): Promise<void> {
      if (noted.size === 0 || performance.now() - writtenAt < every) return;
      writtenAt = performance.now();
      const told = await noteArrivals(db, noted);
      noted.clear();
      for (const { accountId, connectionId } of told) mark(accountId, "connections", connectionId);
    },
  };
}
