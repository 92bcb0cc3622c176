import type { StopCause } from "../transport.ts";

export type Stop = { cause: StopCause; retryAt: number | null | "human" };

/** WhatsApp's `rate-overlimit` says no end; a minute is what clients wait. */
const RATE_PAUSE_MS = 60_000;

/** The status code in an error of Baileys (a Boom: its own, or in `data` the code of an error stanza). */
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

/** As `stopOf`, for a question about one person: that it was not answered may be theirs alone, and does not say that the channel is gone. */
export function questionStop(error: unknown, now: Date): Stop | null {
  if (codeOf(error) === 408 && textOf(error) === "Timed Out")
    return { cause: "lookup_failed", retryAt: null };
  return stopOf(error, now);
}

/** The stop that an error of a question to WhatsApp means, null when it says nothing about the channel. */
export function stopOf(error: unknown, now: Date): Stop | null {
  const code = codeOf(error);
  if (code === 429) return { cause: "rate_limited", retryAt: now.getTime() + RATE_PAUSE_MS };
  if (code === 408 || code === 428 || code === 440 || code === 503)
    return { cause: "not_connected", retryAt: null };
  if (/Connection Closed|Connection Terminated|WebSocket/i.test(textOf(error)))
    return { cause: "not_connected", retryAt: null };
  return null;
}
