import type { AnswerReason } from "../../domain/answering.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";

/** What becomes of an answer that failed: why, and in how many milliseconds it is tried again (null: not at all). */
export type Judged = { reason: AnswerReason; againMs: number | null };

type Tried = {
  tries: number;
  now: Date;
  /** Waits between tries while Mistral is down. */
  down: readonly number[];
};

/** Whoever waits longer has asked elsewhere. */
const LIMIT_WAIT_MOST_MS = 5 * 60_000;
const LIMIT_TRIES_MOST = 5;

const REASONS: Partial<Record<ErrorCode, AnswerReason>> = {
  mistral_no_key: "no_key",
  mistral_wrong_key: "wrong_key",
  mistral_agent_missing: "agent_missing",
  mistral_refused: "refused",
  mistral_garbage: "garbage",
  mistral_no_answer: "empty",
  // The account's address, which its operator has since forbidden.
  url_forbidden: "garbage",
  url_private: "garbage",
};

/** Tells passing faults of Mistral from lasting ones. Null: it is no fault of Mistral's at all. */
export function validationError(error: unknown, { tries, now, down }: Tried): Judged | null {
  if (!(error instanceof AppError)) return null;
  const { code, details } = error;
  if (code === "mistral_rate_limited") {
    const wait = Math.max(0, Date.parse(String(details.retryAt)) - now.getTime());
    const again = tries < LIMIT_TRIES_MOST && wait <= LIMIT_WAIT_MOST_MS;
    return { reason: "rate_limited", againMs: again ? wait : null };
  }
  if (code === "mistral_down") {
    const wait = down[tries - 1];
    // After many faults nobody is asked for a while: trying meanwhile would find the same.
    const resting = Number(details.seconds ?? 0) * 1_000;
    return { reason: "down", againMs: wait === undefined ? null : Math.max(wait, resting) };
  }
  const reason = REASONS[code];
  return reason === undefined ? null : { reason, againMs: null };
}
