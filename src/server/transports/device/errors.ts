import type { StopCause } from "../transport.ts";

export type Stop = { cause: StopCause; retryAt: number | null | "human" };

/** `rate-overlimit` gives no end; clients wait a minute. */
const RATE_PAUSE_MS = 60_000;

/** From a Boom: its own code, or the error stanza's in `data`. */
export function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("data" in error && typeof error.data === "number") return error.data;
  if (
    "output" in error &&
    typeof error.output === "object" &&
    error.output !== null &&
    "statusCode" in error.output
  ) {
    return typeof error.output.statusCode === "number" ? error.output.statusCode : undefined;
  }
  return undefined;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** As `stopOf`; but a missing answer about one person does not mean that the channel is down. */
export function questionStop(error: unknown, now: Date): Stop | null {
  if (codeOf(error) === 408 && textOf(error) === "Timed Out")
    return { cause: "lookup_failed", retryAt: null };
  return stopOf(error, now);
}

/** Null when the error says nothing about the channel. */
export function stopOf(error: unknown, now: Date): Stop | null {
  const code = codeOf(error);
  if (code === 429) return { cause: "rate_limited", retryAt: now.getTime() + RATE_PAUSE_MS };
  if (code === 408 || code === 428 || code === 440 || code === 503)
    return { cause: "not_connected", retryAt: null };
  if (/Connection Closed|Connection Terminated|WebSocket/i.test(textOf(error)))
    return { cause: "not_connected", retryAt: null };
  return null;
}
