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
 * Breaks a pool's connections off whose wire is dead without a reset (a cut cable, a firewall that forgot the connection): the kernel
 * would go on trying for a quarter of an hour, and everybody who was given such a connection would wait for as long. A statement that is
 * merely slow is left alone: the server itself, asked over another connection, says whether it still works at it.
 */
export function watchSilence(pool: pg.Pool, { config, silenceMs, longestMs }: Watch): SilenceWatch {
  const lent = new Map<pg.PoolClient, NodeJS.Timeout>();

  const rest = (client: pg.PoolClient) => {
    clearTimeout(lent.get(client));
    lent.delete(client);
  };
  /** What came so far: as long as it grows the wire lives. */
  const traffic = ({ connection: { stream } }: pg.PoolClient) =>
    stream instanceof net.Socket ? stream.bytesRead : 0;

  const look = (client: pg.PoolClient, seen: number, since: number) => {
    const timer = setTimeout(async () => {
      const now = traffic(client);
      if (now !== seen) {
        look(client, now, performance.now());
        return;
      }
      const dead = performance.now() - since > longestMs || !(await isAtWork(config, client));
      if (lent.get(client) !== timer) return;
      if (dead && traffic(client) === seen) breakOff(client);
      else look(client, seen, since);
    }, silenceMs);
    timer.unref();
    lent.set(client, timer);
  };

  pool.on("acquire", (client) => look(client, traffic(client), performance.now()));
  pool.on("release", (_error, client) => rest(client));
  pool.on("remove", rest);
  return { exempt: rest };
}

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
