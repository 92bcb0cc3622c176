import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { sqlState } from "./errors.ts";

/** How long an answer that the server has sent may take to us, and to be read by a process that is busy. */
const ON_ITS_WAY_MS = 1_000;

/**
 * Looks in the time of a silence: it is counted from the last of them at which something had come. With one alone a wire that dies right
 * after an answer would be found after twice the time.
 */
const LOOKS = 5;

type Watch = {
  /** How the same server is reached anew. */
  config: pg.ClientConfig;
  /** A statement without an answer for so long makes us ask. */
  silenceMs: number;
  /** Beyond this no statement runs any more: the server would have ended it itself. */
  longestMs: number;
};

export type SilenceWatch = {
  /** Until it is lent again its statements may run for as long as the server works at them, and its borrower be busy between two of them. */
  unbounded(client: pg.PoolClient): void;
};

/**
 * A client that is lent. `bytes`: what had come over its wire `since`; `unbounded`: no statement is too long; `quiet`: how often in a row
 * it was looked at for nothing since the server was asked; `unasked`: how often in a row the server could not be.
 */
type Lent = { bytes: number; since: number; unbounded: boolean; quiet: number; unasked: number };

/**
 * A session may be half an hour's import, which begins anew when it is broken off: that the server cannot be asked for a moment (it gets
 * more connections than it takes, or this process was too busy to hear it) says nothing yet.
 */
const UNASKED_MOST = 3;

/**
 * Breaks pooled connections off whose wire is dead without a reset (a cut cable, a firewall that forgot the connection): the kernel would
 * go on trying for a quarter of an hour, and everybody who was given such a connection would wait for as long. A statement that is merely
 * slow is left alone: the server itself, asked over another connection, says whether it still works at it. With the first dead one all
 * that are at rest go: they are as old, and whoever got them one after the other would find it out anew each time.
 */
export function watchSilence(pools: readonly pg.Pool[], watch: Watch): SilenceWatch {
  const resting = new Set<pg.PoolClient>();
  const watched = new Map<pg.PoolClient, NodeJS.Timeout>();
  const { config, silenceMs, longestMs } = watch;

  const forget = (client: pg.PoolClient) => {
    clearTimeout(watched.get(client));
    watched.delete(client);
  };
  const giveUp = (client: pg.PoolClient) => {
    for (const one of [client, ...resting]) breakOff(one);
  };
  const look = (client: pg.PoolClient, lent: Lent) => {
    const timer = setTimeout(async () => {
      const { bytes, since, unbounded } = lent;
      const quiet = lent.quiet + 1;
      if (bytesFrom(client) !== bytes || (unbounded && !isWaiting(client))) {
        look(client, lentNow(client, unbounded));
        return;
      }
      if (quiet < LOOKS) {
        look(client, { ...lent, quiet });
        return;
      }
      const tooLong = !unbounded && performance.now() - since > longestMs;
      const works = tooLong ? false : await isAtWork(config, client);
      // The server is idle a moment before its answer is here.
      if (works === false && !tooLong) await pause(Math.min(silenceMs, ON_ITS_WAY_MS), null, { ref: false });
      if (watched.get(client) !== timer) return;
      const unasked = works === null ? lent.unasked + 1 : 0;
      const dead = works === false || unasked >= (unbounded ? UNASKED_MOST : 1);
      if (dead && bytesFrom(client) === bytes) giveUp(client);
      else look(client, { ...lent, quiet: 0, unasked });
    }, silenceMs / LOOKS);
    timer.unref();
    watched.set(client, timer);
  };

  for (const pool of pools) {
    pool.on("acquire", (client) => {
      resting.delete(client);
      look(client, lentNow(client, false));
    });
    pool.on("release", (_error, client) => {
      forget(client);
      resting.add(client);
    });
    pool.on("remove", (client) => {
      forget(client);
      resting.delete(client);
    });
  }
  return {
    unbounded(client) {
      forget(client);
      look(client, lentNow(client, true));
    },
  };
}

const lentNow = (client: pg.PoolClient, unbounded: boolean): Lent => ({
  ...{ bytes: bytesFrom(client), since: performance.now(), unbounded, quiet: 0, unasked: 0 },
});

/** Whether it asked something and has no answer yet, which the driver's types keep to themselves. */
const isWaiting = (client: pg.PoolClient): boolean =>
  "readyForQuery" in client && client.readyForQuery === false;

/** What came over a connection so far: as long as it grows the wire lives. */
const bytesFrom = ({ connection: { stream } }: pg.PoolClient): number =>
  stream instanceof net.Socket ? stream.bytesRead : 0;

function breakOff({ connection: { stream } }: pg.PoolClient): void {
  stream.destroy(new Error("Connection terminated: no answer from the database"));
}

/**
 * Whether the server works for this connection; null where nobody could be asked. One that the server does not know was ended by it, and
 * the word of that was lost: it does so to a transaction that is idle for as little as five seconds. But behind a pooler, where whoever asks
 * goes by another number than the server's as well, nothing follows from that. Then, and where a server that lives has no room for whoever
 * asks, the answer is yes, and the limit of all statements has to do.
 */
async function isAtWork(config: pg.ClientConfig, client: pg.PoolClient): Promise<boolean | null> {
  const asker = new pg.Client({ ...config, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  asker.on("error", () => undefined);
  try {
    await asker.connect();
    const { rows } = await asker.query<{ own: number; known: boolean; state: string | null }>(
      `select pg_backend_pid() as own, a.pid is not null as known, a.state
        from (values ($1::int)) as asked (pid) left join pg_stat_activity a using (pid)`,
      [processOf(client)],
    );
    const [row] = rows;
    if (!row?.known) return row?.own !== processOf(asker);
    return row.state === null || row.state === "active";
  } catch (error) {
    return sqlState(error)?.startsWith("53") ? true : null;
  } finally {
    asker.end().catch(() => undefined);
  }
}

/** The server's number for a connection, which the driver's types keep to themselves. */
export function processOf(client: pg.ClientBase): number {
  return "processID" in client && typeof client.processID === "number" ? client.processID : 0;
}
