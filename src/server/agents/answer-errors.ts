import type { AnswerReason } from "../../domain/answering.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";

/** `againMs`: delay until the retry; null: none. */
export type AnswerFailure = { reason: AnswerReason; againMs: number | null };

type Tried = {
  tries: number;
  now: Date;
  down: readonly number[];
};

/** After that the person no longer waits for this answer. */
const LIMIT_WAIT_MOST_MS = 5 * 60_000;
const LIMIT_TRIES_MOST = 5;

const REASONS: Partial<Record<ErrorCode, AnswerReason>> = {
  mistral_no_key: "no_key",
  mistral_wrong_key: "wrong_key",
  mistral_agent_missing: "agent_missing",
  mistral_refused: "refused",
  mistral_garbage: "garbage",
  mistral_no_answer: "empty",
  // The operator has since forbidden the account's address.
  url_forbidden: "garbage",
  url_private: "garbage",
};

/** Null: not Mistral's error. */
export function answerFailure(error: unknown, { tries, now, down }: Tried): AnswerFailure | null {
  if (!(error instanceof AppError)) return null;
  const { code, details } = error;
  if (code === "mistral_rate_limited") {
    const wait = Math.max(0, Date.parse(String(details.retryAt)) - now.getTime());
    const again = tries < LIMIT_TRIES_MOST && wait <= LIMIT_WAIT_MOST_MS;
    return { reason: "rate_limited", againMs: again ? wait : null };
  }
  if (code === "mistral_down") {
    const wait = down[tries - 1];
    // The breaker is open: an earlier retry would fail.
    const resting = Number(details.seconds ?? 0) * 1_000;
    return { reason: "down", againMs: wait === undefined ? null : Math.max(wait, resting) };
  }
  const reason = REASONS[code];
  return reason === undefined ? null : { reason, againMs: null };
}
