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
    } catch (error) {
      if (!passes(error)) throw error;
      await wait(ms);
    }
  return ask();
}

const passes = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
