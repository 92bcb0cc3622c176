import type { StopCause } from "../../transports/transport.ts";
import type { LaneTimes } from "../ledger/timing.ts";

/** `providerId` is the transport's own message id. */
export type WentOut = { to: "sent" | "accepted"; at: number; providerId: string; part?: number };

export type NotOut = {
  to: "waiting" | "skipped" | "uncertain" | "error";
  at: number;
  error: string | null;
  attempts: number;
  ambiguous: boolean;
  delayMs: number;
};

/** Outcome to record. */
export type Delivered = WentOut | NotOut;

/** Why the channel stopped, and when it may be tried again (epoch ms, or after the backoff). */
export type Stop = { cause: StopCause; retryAt: number | null | "human" };

/** `begun`: some of several messages left before this outcome. */
export type Delivery = { result: Delivered; stop: Stop | null; begun?: boolean };

export const NOT_CONNECTED: Stop = { cause: "not_connected", retryAt: null };

/** Stops reported as the channel's that one recipient may cause. */
export const RECIPIENT_CAUSES: ReadonlySet<StopCause> = new Set([
  "not_connected",
  "lookup_failed",
  "devices_refused",
]);

/** Their recipient waits while others are tried; a picture concerns its whole campaign. */
export const ASIDE_CAUSES: ReadonlySet<StopCause> = new Set([
  ...RECIPIENT_CAUSES,
  "upload_failed",
  "new_conversation",
]);

export const wentOut = <T extends { to: string }>(one: T): one is Extract<T, { to: "sent" | "accepted" }> =>
  one.to === "sent" || one.to === "accepted";

export const notYet = ({ unread }: Pick<LaneTimes, "unread">) =>
  ({ to: "waiting", error: null, attempts: 0, ambiguous: false, delayMs: unread }) as const;

/**
 * `mayHaveArrived`: this or an earlier attempt may have arrived. A refusal then proves nothing about it, so
 * the result is «A verificar».
 */
export function finalResult(mayHaveArrived: boolean, to: "error" | "skipped", error: string) {
  return {
    to: mayHaveArrived ? ("uncertain" as const) : to,
    error,
    attempts: 0,
    ambiguous: false,
    delayMs: 0,
  };
}
