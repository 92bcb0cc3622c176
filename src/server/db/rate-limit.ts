import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../domain/errors.ts";
import type { Database } from "./client.ts";

export type Limit = { attempts: number; seconds: number };

/** Counts an attempt of a key; throws `too_many_requests` past the limit. */
export function attemptLimit(database: Database, name: string, limit: Limit): (key: string) => Promise<void> {
  const one = limiter(database, name, limit);
  return (key) => consume(one, key);
}

/** Counts attempts of `keyPrefix` in the database, shared by all processes. `remembers`: refuses a flood without asking it. */
export function limiter(
  database: Database,
  keyPrefix: string,
  limit: Limit,
  { remembers = true } = {},
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) => database.query(text, values),
    },
    storeType: "client",
    tableName: "rate_limit",
    tableCreated: true,
    keyPrefix,
    points: limit.attempts,
    duration: limit.seconds,
    ...(remembers ? { inMemoryBlockOnConsumed: limit.attempts + 1 } : {}),
  });
}

/** Throws `too_many_requests` with `retryAfter` in seconds. */
export async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new AppError("too_many_requests", {
      retryAfter: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)),
    });
  }
}
