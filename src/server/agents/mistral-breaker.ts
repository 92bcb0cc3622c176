import { createHash } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { MistralAccess } from "./mistral-types.ts";

const FAILURES = 5;
const REST_MS = 30_000;
const REMEMBERED = 1_000;

/**
 * Counts `mistral_down` in a row per key, address and account, since accounts share keys. After five, calls
 * fail for 30 s, then one may try.
 */
export function openBreaker(clock: Clock) {
  const failing = new Map<string, { count: number; restUntil: number }>();
  // Not the key itself: it would appear in heap dumps.
  const nameOf = ({ apiKey, baseUrl, account = "" }: MistralAccess) =>
    createHash("sha256").update(`${baseUrl}\n${apiKey}\n${account}`).digest("base64");

  return async function guarded<T>(access: MistralAccess, call: () => Promise<T>): Promise<T> {
    const name = nameOf(access);
    const state = failing.get(name);
    if (state && state.count >= FAILURES) {
      const now = clock.monotonic();
      if (now < state.restUntil) throw resting(state.restUntil - now);
      state.restUntil = now + REST_MS;
    }
    try {
      const result = await call();
      failing.delete(name);
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === "mistral_down") {
        const count = (failing.get(name)?.count ?? 0) + 1;
        failing.delete(name);
        failing.set(name, { count, restUntil: clock.monotonic() + REST_MS });
        pruneOldest(failing);
      } else {
        failing.delete(name);
      }
      throw error;
    }
  };
}

const resting = (ms: number) =>
  new AppError("mistral_down", { reason: "resting", seconds: Math.ceil(ms / 1_000), sent: false });

function pruneOldest(failing: Map<string, unknown>): void {
  const [oldest] = failing.keys();
  if (failing.size > REMEMBERED && oldest !== undefined) failing.delete(oldest);
}
