import { ApiError } from "../api/api-error.ts";

/** A lost answer would lose the notification: nothing else asks again. */
const WAITS_MS = [1_000, 4_000, 16_000];

/**
 * Retries lost answers and server errors, then throws the last one. The query library would wait until the
 * page is visible, when a notification is useless.
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
