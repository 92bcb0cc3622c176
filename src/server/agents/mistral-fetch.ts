import { AppError } from "../../domain/errors.ts";
import type { InTurn } from "../base/in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { hasTooManyParts, hasTooManyValues } from "../net/json-parts.ts";

/** A page of agents with long instructions; anything larger is not an answer of Mistral's. */
const MAX_BYTES = 16_000_000;
/** Of all answers to one question, a list of many pages say: these are in memory together. */
const MAX_ALL_BYTES = 2 * MAX_BYTES;
/**
 * Ten times a page of agents with tools. The SDK writes a report of several lines about each value that is not what it expects: 4 MB of
 * empty objects would end the process with all its accounts, and anybody may name an address as their Mistral.
 */
const MAX_VALUES = 100_000;

/** Statuses whose answer has no body, which `Response` insists on. */
const BODILESS = new Set([204, 205, 304]);

/**
 * The guarded fetch in the shape that the SDK asks for: a `Request` in, a `Response` out. `leftMs` is asked at each request, so that
 * an operation of several requests ends in time as a whole; who waits for their `turn` does so within it. Faults of the guarded fetch
 * pass through.
 *
 * Only the headers that the SDK reads pass: it would, for one, print a warning of its own for `x-model-deprecation-timestamp`.
 */
export function mistralFetcher(
  guarded: GuardedFetch,
  { leftMs, turn, configured }: { leftMs: () => number; turn: InTurn; configured: boolean },
) {
  let left = MAX_ALL_BYTES;
  return async (request: Request): Promise<Response> => {
    const headers = Object.fromEntries([...request.headers].filter(([, value]) => value !== ""));
    const body = request.body ? { body: await request.text() } : {};
    const answer = await inTime(turn, leftMs(), () =>
      guarded.fetch(request.url, {
        ...{ method: methodOf(request.method), headers, ...body },
        maxBytes: Math.min(MAX_BYTES, left),
        timeoutMs: leftMs(),
        httpsOnly: "unless_vouched",
        configured,
      }),
    );
    left -= answer.body.length;
    if (isTooMuch(answer.body)) throw new AppError("mistral_garbage", { reason: "too_large" });
    const passed = new Headers();
    for (const name of ["content-type", "retry-after"]) {
      const value = answer.headers[name];
      if (typeof value === "string") passed.set(name, value);
    }
    const told = BODILESS.has(answer.status) ? null : new Uint8Array(answer.body);
    return new Response(told, { status: answer.status, headers: passed });
  };
}

/** Does the work in its turn, unless that comes only after `ms`: then it is never done, and whoever asked has heard so. */
async function inTime<T>(turn: InTurn, ms: number, work: () => Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const late = new AppError("url_failed", { reason: "timeout", sent: false });
  let gone = false;
  const timer = setTimeout(() => {
    gone = true;
    over.reject(late);
  }, ms);
  const done = turn(async () => {
    clearTimeout(timer);
    if (gone) throw late;
    return work();
  });
  return Promise.race([done, over.promise]);
}

/** What is no JSON the SDK refuses by itself. */
function isTooMuch(bytes: Buffer): boolean {
  if (hasTooManyParts(bytes)) return true;
  try {
    return hasTooManyValues(JSON.parse(bytes.toString()), MAX_VALUES);
  } catch {
    return false;
  }
}

const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;

function methodOf(method: string): (typeof METHODS)[number] {
  const known = METHODS.find((one) => one === method);
  if (!known) throw new Error(`the SDK used ${method}`);
  return known;
}
