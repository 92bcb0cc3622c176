import { ApiError } from "../api/api-error.ts";

/** One answer that gets lost must not cost the notification: nothing else would ever ask again. */
const WAITS_MS = [1_000, 4_000, 16_000];

/**
 * Asks again, a few times, while the answer is lost or the server is at fault; throws what the last attempt threw. Not by the query
 * library, which waits with that until the page is looked at, when nobody needs to be told any more.
 */
export async function retry<T>(
  ask: () => Promise<T>,
  wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
): Promise<T> {
  for (const ms of WAITS_MS)
    try {
      return await ask();
    } catch (fault) {
      if (!passes(fault)) throw fault;
      await wait(ms);
    }
  return ask();
}

const passes = (fault: unknown) =>
  fault instanceof ApiError && (fault.status === 0 || fault.status === 429 || fault.status >= 500);
