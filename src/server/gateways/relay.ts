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

/** Milliseconds. */
export type RelayTimes = {
  /** The wait after the first fault; doubled after each further one up to `longest`, as the gateway itself does. */
  first: number;
  longest: number;
  /** Of one attempt. */
  timeout: number;
  poll: number;
  /** How long attempts may go on when we stop. */
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
  /** Messages wait to be passed on. */
  wake(): void;
  /** Lets attempts that are under way end, for a while: what is broken off is told again. */
  stop(): Promise<void>;
};

const ATTEMPTS = 10;
/** Messages of one instance on the wire at once. */
const EACH = 4;
const MAX_ANSWER = 64 * 1024;
const MB = 1024 * 1024;
/** What all messages on the wire may hold of our memory; the last may go beyond it. */
const MAX_HELD = 64 * MB;
/**
 * … and those of one account: its addresses may take their twenty seconds over each, and there are others, of whom many have theirs at
 * the same host (n8n, Make), to which there are so many connections and no more.
 */
const OF_ACCOUNT: Held = { bytes: 16 * MB, messages: 32 };
/** Kept free of pictures, however many of them wait: most messages are small. */
const FOR_SMALL = 16 * MB;
/** … and free of small ones, however many addresses that never answer have them told. */
const FOR_LARGE = 8 * MB;
const SMALL = 256 * 1024;

/**
 * Passes messages on to the addresses that people gave, in the gateway's own form, as the gateway would have: it keeps one webhook per
 * instance, and that is ours. An address that is slow or gone keeps only its own messages waiting, never the intake.
 */
export function startRelay(deps: RelayDeps): RelayWorker {
  const { db, log, times = RELAY_TIMES } = deps;
  const busy = new Map<number, number>();
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  /** By account. */
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
        // A picture's place may be what another one waits for.
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

/** A fault of the network, 408, 425, 429 and 5xx pass; anything else would be answered the same way again. */
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
      // Some answer with a whole page, and a passing fault with its longest.
      statusOnly: true,
      signal,
    });
    const passing = ASKS_AGAIN.has(status) || status >= 500;
    return { status, error: null, again: passing ? again : null };
  } catch (error) {
    const reason = reasonOf(error);
    // Broken off by us: also the last try has not been made.
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

/** As the gateway writes it to this address. */
function addressed({ body, url }: Relay): string {
  return JSON.stringify({ ...(JSON.parse(body) as Record<string, unknown>), destination: url });
}
