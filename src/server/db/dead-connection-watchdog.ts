import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { sqlState } from "./errors.ts";

/** Time for a sent answer to arrive and be read by a busy process. */
const ON_ITS_WAY_MS = 1_000;

/**
 * Checks per silence period: with one, a connection dying right after an answer takes twice as long to find.
 */
const LOOKS = 5;

type Watch = {
  /** To ask the server over another connection. */
  config: pg.ClientConfig;
  silenceMs: number;
  /** The server would have ended a longer statement itself. */
  longestMs: number;
};

export type SilenceWatch = {
  /** Until its release, statements and pauses of any length are allowed. */
  unbounded(client: pg.PoolClient): void;
};

/**
 * `bytes`: received at `since`; `unbounded`: no time limit; `quiet`: checks in a row that found nothing;
 * `unasked`: failed questions in a row.
 */
type Lent = { bytes: number; since: number; unbounded: boolean; quiet: number; unasked: number };

/**
 * One failed question (server full, this process busy) proves nothing, and aborting may cost half an hour's
 * import.
 */
const UNASKED_MOST = 3;

/**
 * Without a reset (cut cable, firewall) the kernel retries for 15 minutes. Asks the server over another
 * connection, so slow statements survive; idle connections go with the first dead one.
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
      // An idle server's answer may be on its way.
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
  bytes: bytesFrom(client),
  since: performance.now(),
  unbounded,
  quiet: 0,
  unasked: 0,
});

/** The driver's types omit this. */
const isWaiting = (client: pg.PoolClient): boolean =>
  "readyForQuery" in client && client.readyForQuery === false;

/** Growing bytes prove a live connection. */
const bytesFrom = ({ connection: { stream } }: pg.PoolClient): number =>
  stream instanceof net.Socket ? stream.bytesRead : 0;

function breakOff({ connection: { stream } }: pg.PoolClient): void {
  stream.destroy(new Error("Connection terminated: no answer from the database"));
}

/**
 * Null if the server cannot be asked. An unknown process was ended by it, except behind a pooler; then, and
 * without room to ask, true: the statement limit decides.
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

/** The server's process id, which the driver's types omit. */
export function processOf(client: pg.ClientBase): number {
  return "processID" in client && typeof client.processID === "number" ? client.processID : 0;
}
