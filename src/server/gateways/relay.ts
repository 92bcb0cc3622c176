import type { Logger } from "pino";
import type { Topic } from "../../contract/events.ts";
import { AppError } from "../../domain/errors.ts";
import { coalesced } from "../base/coalesced.ts";
import type { Db } from "../db/client.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { type Attempt, type Held, type Relay, recordAttempt, takeRelays } from "./relay-repo.ts";

export type RelayDeps = {
  db: Db;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  log: Logger;
  mark(accountId: string, topic: Topic, id?: number): void;
  times?: RelayTimes;
};

export type RelayTimes = {
  /** Doubled up to `longest`, as the gateway does. */
  first: number;
  longest: number;
  timeout: number;
  poll: number;
  stop: number;
};

export const RELAY_TIMES: RelayTimes = {
  first: 5_000,
  longest: 300_000,
  timeout: 20_000,
  poll: 1_000,
  stop: 5_000,
};

const ATTEMPTS = 10;
const EACH = 4;
const MAX_ANSWER = 64 * 1024;
const MB = 1024 * 1024;
/** The last message may exceed it. */
const MAX_HELD = 64 * MB;
/**
 * Per account: addresses may take twenty seconds each, and many share a host (n8n, Make) with limited
 * connections.
 */
const OF_ACCOUNT: Held = { bytes: 16 * MB, messages: 32 };
/** Reserved for small messages, which most are. */
const FOR_SMALL = 16 * MB;
/** Reserved for large messages, however many small ones never get an answer. */
const FOR_LARGE = 8 * MB;
const SMALL = 256 * 1024;

/**
 * In the gateway's format, since its one webhook per instance is ours. A slow address delays only its own
 * messages.
 */
export class RelayWorker {
  readonly #deps: RelayDeps;
  readonly #times: RelayTimes;
  readonly #busy = new Map<number, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #holding = new Map<string, Held>();
  readonly #loop = coalesced(() => this.#work());
  readonly #poll: NodeJS.Timeout;
  #held = 0;
  #heldByLarge = 0;
  #closed = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? RELAY_TIMES;
    this.#poll = setInterval(() => this.wake(), this.#times.poll);
    this.wake();
  }

  wake(): void {
    this.#loop.ask();
  }

  /** Aborted ones are sent again. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    await this.#loop.idle();
    const late = setTimeout(() => this.#ending.abort(), this.#times.stop);
    await Promise.all(this.#running);
    clearTimeout(late);
  }

  async #work(): Promise<void> {
    if (this.#closed || this.#held >= MAX_HELD) return;
    try {
      for (const relay of await this.#take()) this.#start(relay);
    } catch (error) {
      this.#deps.log.warn({ err: error }, "messages to pass on could not be read, trying again");
    }
  }

  #take(): Promise<Relay[]> {
    const ownOfLarge = Math.max(0, FOR_LARGE - this.#heldByLarge);
    return takeRelays(this.#deps.db, {
      each: EACH,
      busy: [...this.#busy.keys()],
      room: {
        left: MAX_HELD - this.#held - ownOfLarge,
        leftForLarge: MAX_HELD - FOR_SMALL - this.#held,
        ownOfLarge,
        small: SMALL,
        ofAccount: OF_ACCOUNT,
        held: this.#holding,
      },
      leaseMs: this.#times.timeout * 2 + 10_000,
    });
  }

  #start(relay: Relay): void {
    const { connectionId, accountId } = relay;
    this.#hold(accountId, relay.body.length, 1);
    this.#busy.set(connectionId, (this.#busy.get(connectionId) ?? 0) + 1);
    const one = passOn(this.#deps, { times: this.#times, signal: this.#ending.signal }, relay)
      .catch((error: unknown) =>
        this.#deps.log.warn({ err: error, connectionId }, "a relay's end could not be recorded"),
      )
      .finally(() => {
        this.#running.delete(one);
        this.#release(relay);
      });
    this.#running.add(one);
  }

  #release({ connectionId, accountId, body }: Relay): void {
    const bytes = body.length;
    this.#hold(accountId, -bytes, -1);
    const left = (this.#busy.get(connectionId) ?? 1) - 1;
    if (left > 0) this.#busy.set(connectionId, left);
    else this.#busy.delete(connectionId);
    const wasFull = this.#held + bytes >= MAX_HELD - FOR_LARGE;
    // Another large message may wait for this memory.
    if (left === 0 || bytes > SMALL || wasFull) this.wake();
  }

  #hold(accountId: string, bytes: number, messages: number): void {
    this.#held += bytes;
    if (Math.abs(bytes) > SMALL) this.#heldByLarge += bytes;
    const before = this.#holding.get(accountId) ?? { bytes: 0, messages: 0 };
    const now = { bytes: before.bytes + bytes, messages: before.messages + messages };
    if (now.messages > 0) this.#holding.set(accountId, now);
    else this.#holding.delete(accountId);
  }
}

type Limits = { times: RelayTimes; signal: AbortSignal };

async function passOn(deps: RelayDeps, limits: Limits, relay: Relay): Promise<void> {
  const attempt =
    relay.url === null ? { status: null, error: null, again: null } : await post(deps, limits, relay);
  await recordAttempt(deps.db, relay, attempt);
  deps.mark(relay.accountId, "connections", relay.connectionId);
}

/** Retries network errors, 408, 425, 429 and 5xx. */
async function post({ guardedFetch }: RelayDeps, { times, signal }: Limits, relay: Relay): Promise<Attempt> {
  const wait = Math.min(times.first * 2 ** (relay.tries - 1), times.longest);
  const again = relay.tries < ATTEMPTS ? wait : null;
  try {
    const { status } = await guardedFetch.fetch(relay.url ?? "", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: addressed(relay),
      maxBytes: MAX_ANSWER,
      timeoutMs: times.timeout,
      // Bodies can be long and are not needed.
      statusOnly: true,
      signal,
    });
    const passing = ASKS_AGAIN.has(status) || status >= 500;
    return { status, error: null, again: passing ? again : null };
  } catch (error) {
    const reason = reasonOf(error);
    // Aborted by us, so even the last try does not count.
    if (reason === "aborted") return { status: null, error: reason, again: wait };
    return { status: null, error: reason, again: PASSING.has(reason) ? again : null };
  }
}

const PASSING = new Set(["network", "timeout"]);
/** Request Timeout, Too Early, Too Many Requests. */
const ASKS_AGAIN = new Set([408, 425, 429]);

function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  const { reason } = error.details;
  return error.code === "url_failed" && typeof reason === "string" ? reason : error.code;
}

function addressed({ body, url }: Relay): string {
  return JSON.stringify({ ...(JSON.parse(body) as Record<string, unknown>), destination: url });
}
