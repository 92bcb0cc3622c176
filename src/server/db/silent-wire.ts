import net from "node:net";
import pg from "pg";

type Watch = {
  /** How the same server is reached anew. */
  config: pg.ClientConfig;
  /** A statement without an answer for so long makes us ask. */
  silenceMs: number;
  /** Beyond this no statement runs any more: the server would have ended it itself. */
  longestMs: number;
};

export type SilenceWatch = {
  /** Whoever may let a statement run for as long as it takes is not asked about, until it is lent again. */
  exempt(client: pg.PoolClient): void;
};

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
  const look = (client: pg.PoolClient, seen: number, since: number) => {
    const timer = setTimeout(async () => {
      const now = bytesFrom(client);
      if (now !== seen) {
        look(client, now, performance.now());
        return;
      }
      const dead = performance.now() - since > longestMs || !(await isAtWork(config, client));
      if (watched.get(client) !== timer) return;
      if (dead && bytesFrom(client) === seen) giveUp(client);
      else look(client, seen, since);
    }, silenceMs);
    timer.unref();
    watched.set(client, timer);
  };

  for (const pool of pools) {
    pool.on("acquire", (client) => {
      resting.delete(client);
      look(client, bytesFrom(client), performance.now());
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
  return { exempt: forget };
}

/** What came over a connection so far: as long as it grows the wire lives. */
const bytesFrom = ({ connection: { stream } }: pg.PoolClient): number =>
  stream instanceof net.Socket ? stream.bytesRead : 0;

function breakOff({ connection: { stream } }: pg.PoolClient): void {
  stream.destroy(new Error("Connection terminated: no answer from the database"));
}

/**
 * Whether the server works for this connection. Where it does not know the connection (behind a pooler it goes by another number) the
 * answer is yes, and the limit of all statements has to do.
 */
async function isAtWork(config: pg.ClientConfig, client: pg.PoolClient): Promise<boolean> {
  const asker = new pg.Client({ ...config, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  asker.on("error", () => undefined);
  try {
    await asker.connect();
    const { rows } = await asker.query<{ state: string | null }>(
      "select state from pg_stat_activity where pid = $1",
      [processOf(client)],
    );
    const [row] = rows;
    return row === undefined || row.state === null || row.state === "active";
  } catch {
    return false;
  } finally {
    asker.end().catch(() => undefined);
  }
}

/** The server's number for a connection, which the driver's types keep to themselves. */
function processOf(client: pg.PoolClient): number {
  return "processID" in client && typeof client.processID === "number" ? client.processID : 0;
}
