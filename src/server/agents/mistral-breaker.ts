import { createHash } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { MistralAccess } from "./mistral-types.ts";

/** After so many failures in a row … */
const FAILURES = 5;
/** … nobody waits for this provider for so long. */
const REST_MS = 30_000;
/** Failing ones that are remembered; the oldest goes first. */
const REMEMBERED = 1_000;

/**
 * Keeps a provider that is down from holding everybody who asks for its whole time limit. Counts `mistral_down` in a row per key, address
 * and account: of a key that many share one of them could bring the count about, with an agent that thinks longer than it may. After
 * five, calls fail at once for 30 s, then one at a time may try. Any other outcome is an answer, and ends the count.
 */
export function openBreaker(clock: Clock) {
  const failing = new Map<string, { count: number; restUntil: number }>();
  // Not the key itself: this map outlives the request, and a heap dump would show it.
  const nameOf = ({ apiKey, baseUrl, account = "" }: MistralAccess) =>
    createHash("sha256").update(`${baseUrl}\n${apiKey}\n${account}`).digest("base64");

  return async function guarded<T>(access: MistralAccess, call: () => Promise<T>): Promise<T> {
    const name = nameOf(access);
    const state = failing.get(name);
    if (state && state.count >= FAILURES) {
      const now = clock.monotonic();
      if (now < state.restUntil) throw resting(state.restUntil - now);
      // The one that tries now keeps the others out until it knows.
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
        forgetOldest(failing);
      } else {
        failing.delete(name);
      }
      throw error;
    }
  };
}

const resting = (ms: number) =>
  new AppError("mistral_down", { reason: "resting", seconds: Math.ceil(ms / 1_000), sent: false });

function forgetOldest(failing: Map<string, unknown>): void {
  const [oldest] = failing.keys();
  if (failing.size > REMEMBERED && oldest !== undefined) failing.delete(oldest);
}
