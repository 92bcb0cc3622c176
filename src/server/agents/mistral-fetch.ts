import { AppError } from "../../domain/errors.ts";
import type { InTurn } from "../base/in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { hasTooManyParts, hasTooManyValues } from "../net/json-parts.ts";

/** Fits a page of agents with long instructions. */
const MAX_BYTES = 16_000_000;
/** All pages of one list are in memory together. */
const MAX_ALL_BYTES = 2 * MAX_BYTES;
/**
 * Ten times a full page. The SDK reports each unexpected value in several lines: 4 MB of empty objects would
 * crash the process.
 */
const MAX_VALUES = 100_000;

/** Statuses for which `Response` allows no body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * `leftMs` is read per request, so that an operation ends in time with its waits. Other headers make the SDK
 * print warnings.
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
        method: methodOf(request.method),
        headers,
        ...body,
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
    const bytes = BODILESS.has(answer.status) ? null : new Uint8Array(answer.body);
    return new Response(bytes, { status: answer.status, headers: passed });
  };
}

/** Skips work whose turn comes after `ms`, as the caller was refused. */
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
