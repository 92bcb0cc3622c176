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

export type RelayWorker = {
  wake(): void;
  /** Aborted ones are sent again. */
  stop(): Promise<void>;
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
export function startRelay(deps: RelayDeps): RelayWorker {
  const { db, log, times = RELAY_TIMES } = deps;
  const busy = new Map<number, number>();
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  const holding = new Map<string, Held>();
  let held = 0;
  let heldByLarge = 0;
  let stopped = false;

  async function work(): Promise<void> {
    if (stopped || held >= MAX_HELD) return;
    const ownOfLarge = Math.max(0, FOR_LARGE - heldByLarge);
    try {
      const taken = await takeRelays(db, {
        each: EACH,
        busy: [...busy.keys()],
        room: {
          ...{ left: MAX_HELD - held - ownOfLarge, leftForLarge: MAX_HELD - FOR_SMALL - held },
          ...{ ownOfLarge, small: SMALL },
          ...{ ofAccount: OF_ACCOUNT, held: holding },
        },
        leaseMs: times.timeout * 2 + 10_000,
      });
      for (const relay of taken) start(relay);
    } catch (error) {
      log.warn({ err: error }, "messages to pass on could not be read, trying again");
    }
  }

  function start(relay: Relay): void {
    const { connectionId, accountId } = relay;
    const bytes = relay.body.length;
    const wasFull = () => held + bytes >= MAX_HELD - FOR_LARGE;
    hold(accountId, bytes, 1);
    busy.set(connectionId, (busy.get(connectionId) ?? 0) + 1);
    const one = passOn(deps, { times, signal: ending.signal }, relay)
      .catch((error: unknown) =>
        log.warn({ err: error, connectionId }, "a relay's end could not be recorded"),
      )
      .finally(() => {
        running.delete(one);
        hold(accountId, -bytes, -1);
        const left = (busy.get(connectionId) ?? 1) - 1;
        if (left > 0) busy.set(connectionId, left);
        else busy.delete(connectionId);
        // Another large message may wait for this memory.
        if (left === 0 || bytes > SMALL || wasFull()) loop.ask();
      });
    running.add(one);
  }

  function hold(accountId: string, bytes: number, messages: number): void {
    held += bytes;
    if (Math.abs(bytes) > SMALL) heldByLarge += bytes;
    const before = holding.get(accountId) ?? { bytes: 0, messages: 0 };
    const now = { bytes: before.bytes + bytes, messages: before.messages + messages };
    if (now.messages > 0) holding.set(accountId, now);
    else holding.delete(accountId);
  }

  const loop = coalesced(work);
  const poll = setInterval(() => loop.ask(), times.poll);
  loop.ask();
  return {
    wake: () => loop.ask(),
    async stop() {
      stopped = true;
      clearInterval(poll);
      await loop.idle();
      const late = setTimeout(() => ending.abort(), times.stop);
      await Promise.all(running);
      clearTimeout(late);
    },
  };
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
