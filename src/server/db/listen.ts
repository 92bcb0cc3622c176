import pg from "pg";
import type { Logger } from "pino";

export type Listener = { close(): Promise<void> };

type ListenOptions = {
  channel: string;
  onMessage: (payload: string) => void;
  onGap?: (() => void) | undefined;
  log: Logger;
};

const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 5_000];
/** A half-open connection would stay silent for ever. */
const PROBE_MS = 15_000;

/** The first connect is awaited; later losses reconnect in the background. */
export async function listenOn(config: pg.ClientConfig, options: ListenOptions): Promise<Listener> {
  const { channel, onMessage, onGap, log } = options;
  let current: pg.Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
    let lost = false;
    const lose = (error?: Error) => {
      if (lost) return;
      lost = true;
      if (current !== client) return;
      current = null;
      client.end().catch(() => undefined);
      if (closed) return;
      log.warn({ err: error, channel }, "listening connection lost");
      again(0);
    };
    client.on("error", lose);
    client.on("end", () => lose());
    client.on("notification", (message) => onMessage(message.payload ?? ""));
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      // It may end in the same piece as its answer; then nothing reconnects.
      if (lost) throw new Error("Connection terminated");
    } catch (error) {
      // May be open but slow: each retry would leave one more.
      client.end().catch(() => undefined);
      throw error;
    }
    if (closed) {
      await client.end();
      return;
    }
    current = client;
  }

  function again(attempt: number): void {
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
    retry = setTimeout(() => {
      connect().then(
        () => onGap?.(),
        () => {
          if (!closed) again(attempt + 1);
        },
      );
    }, pause);
  }

  const probe = setInterval(() => {
    const client = current;
    client?.query("select 1").catch((error: Error) => client.emit("error", error));
  }, PROBE_MS);
  probe.unref();

  await connect();
  return {
    async close() {
      closed = true;
      clearInterval(probe);
      clearTimeout(retry);
      const client = current;
      current = null;
      await client?.end();
    },
  };
}
