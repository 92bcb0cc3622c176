import { AppError } from "../../domain/errors.ts";

const REASON_MAX = 300;
/** Limits scanning, and nesting to protect the stack. */
const WORDS_MAX = 10_000;
const DEPTH_MAX = 8;
/** Used when Mistral, limiting per second and minute, gives no time. */
const WAIT_S = 30;
const WAIT_MAX_S = 3_600;

type ProviderAnswer = { statusCode: number; body: string; headers: Headers };
type Context = {
  apiKey: string;
  now: Date;
  ofAgent: boolean;
};

/**
 * Maps SDK errors to our codes, without the original: it holds the request with its key.
 * `mistral_rate_limited` {retryAt: ISO, seconds}; `mistral_down` {reason: timeout|network|status, sent};
 * `mistral_refused` {status, reason: Mistral's text}; `mistral_wrong_key` {status}; `mistral_garbage`
 * {reason}.
 */
export function mistralError(error: unknown, context: Context): AppError {
  const ours = find(error, (one) => one instanceof AppError);
  if (ours) return foldOurs(ours);
  const answer = find(error, isProviderAnswer);
  if (answer) return foldStatus(answer, context);
  // The SDK rejected our own request, so there is no status.
  if (error instanceof Error && error.name === "SDKValidationError") {
    return new AppError("mistral_refused", { reason: "invalid request" });
  }
  return new AppError("mistral_garbage", { reason: "unreadable" });
}

function foldOurs(error: AppError): AppError {
  if (error.code !== "url_failed") return error;
  const { reason, sent } = error.details;
  if (reason === "redirect" || reason === "too_large") return new AppError("mistral_garbage", { reason });
  return new AppError("mistral_down", { reason: reason === "aborted" ? "timeout" : reason, sent });
}

function foldStatus({ statusCode: status, body, headers }: ProviderAnswer, context: Context): AppError {
  if (status === 401 || status === 403) return new AppError("mistral_wrong_key", { status });
  if (status === 429) return rateLimited(headers.get("retry-after"), context.now);
  if (status === 408 || status >= 500)
    return new AppError("mistral_down", { reason: "status", status, sent: true });
  if (status === 404 && context.ofAgent) return new AppError("mistral_agent_missing");
  if (status < 400) return new AppError("mistral_garbage", { reason: "shape" });
  return new AppError("mistral_refused", {
    status,
    reason: reasonOf(body, context.apiKey) ?? `HTTP ${status}`,
  });
}

function rateLimited(retryAfter: string | null, now: Date): AppError {
  const seconds = Math.min(WAIT_MAX_S, Math.max(1, waitOf(retryAfter, now)));
  const retryAt = new Date(now.getTime() + seconds * 1_000).toISOString();
  return new AppError("mistral_rate_limited", { retryAt, seconds });
}

function waitOf(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return WAIT_S;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? WAIT_S : Math.ceil((until - now.getTime()) / 1_000);
}

/** `{message}`, `{message: {detail: […]}}`, `{detail: "…"}` or `{detail: [{loc, msg}]}`, without the key. */
function reasonOf(body: string, apiKey: string): string | null {
  const words = wordsOf(parse(body))
    .replaceAll(apiKey, "•••")
    .slice(0, WORDS_MAX)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (words === "") return null;
  const letters = Array.from(words);
  return letters.length > REASON_MAX ? `${letters.slice(0, REASON_MAX - 1).join("")}…` : words;
}

function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return "";
  if (Array.isArray(value))
    return value
      .map((one) => wordsOf(one, depth + 1))
      .filter(Boolean)
      .join("; ");
  if ("msg" in value && typeof value.msg === "string") {
    const at = "loc" in value && Array.isArray(value.loc) ? value.loc.filter((step) => step !== "body") : [];
    return at.length > 0 ? `${at.join(".")}: ${value.msg}` : value.msg;
  }
  if ("message" in value) return wordsOf(value.message, depth + 1);
  return "detail" in value ? wordsOf(value.detail, depth + 1) : "";
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function isProviderAnswer(error: unknown): error is ProviderAnswer {
  return (
    error instanceof Error &&
    "statusCode" in error &&
    typeof error.statusCode === "number" &&
    "body" in error &&
    typeof error.body === "string" &&
    "headers" in error &&
    error.headers instanceof Headers
  );
}

/** The SDK wraps errors of its HTTP client. */
function find<T>(error: unknown, is: (one: unknown) => one is T): T | null {
  let one = error;
  for (let depth = 0; depth < 8 && one !== undefined && one !== null; depth++) {
    if (is(one)) return one;
    one = one instanceof Error ? one.cause : null;
  }
  return null;
}
