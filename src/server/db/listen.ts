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
  const listener = new ReconnectingListener(config, options);
  await listener.start();
  return listener;
}

class ReconnectingListener implements Listener {
  readonly #config: pg.ClientConfig;
  readonly #options: ListenOptions;
  readonly #probe: NodeJS.Timeout;
  #current: pg.Client | null = null;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(config: pg.ClientConfig, options: ListenOptions) {
    this.#config = config;
    this.#options = options;
    this.#probe = setInterval(() => this.#ask(), PROBE_MS);
    this.#probe.unref();
  }

  start(): Promise<void> {
    return this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#probe);
    clearTimeout(this.#retry);
    const client = this.#current;
    this.#current = null;
    await client?.end();
  }

  #ask(): void {
    const client = this.#current;
    client?.query("select 1").catch((error: Error) => client.emit("error", error));
  }

  async #connect(): Promise<void> {
    const { channel, onMessage } = this.#options;
    const client = new pg.Client({
      ...this.#config,
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
    });
    let lost = false;
    const lose = (error?: Error) => {
      if (lost) return;
      lost = true;
      this.#lose(client, error);
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
    if (this.#closed) await client.end();
    else this.#current = client;
  }

  #lose(client: pg.Client, error: Error | undefined): void {
    if (this.#current !== client) return;
    this.#current = null;
    client.end().catch(() => undefined);
    if (this.#closed) return;
    const { log, channel } = this.#options;
    log.warn({ err: error, channel }, "listening connection lost");
    this.#again(0);
  }

  #again(attempt: number): void {
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
    this.#retry = setTimeout(() => {
      this.#connect().then(
        () => this.#options.onGap?.(),
        () => {
          if (!this.#closed) this.#again(attempt + 1);
        },
      );
    }, pause);
  }
}
