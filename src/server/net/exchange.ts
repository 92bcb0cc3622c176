import type { Agent, Dispatcher } from "undici";
import { AppError } from "../../domain/errors.ts";

export type GuardedRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  maxBytes: number;
  timeoutMs: number;
  silenceMs?: number;
  /** The body is ignored: an oversized or endless one is no error. */
  statusOnly?: true;
  redirects?: number;
  signal?: AbortSignal;
  onWire?: (() => void) | undefined;
  /** `unless_vouched`: vouched hosts may use http. */
  httpsOnly?: boolean | "unless_vouched";
  /** The operator's own address, which may be internal; redirects are checked as usual. */
  configured?: boolean | undefined;
};

export type GuardedAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

type FailedReason = "redirect" | "too_large" | "timeout" | "aborted" | "network";

/**
 * `sent` is false only when no byte of the request was written; otherwise the other side may have acted on
 * it.
 */
export type UrlFailure = { reason: FailedReason; sent: boolean };

/** Identifies our refusal after undici has wrapped it. */
export const PRIVATE_CODE = "ERECADO_PRIVATE";

const SILENCE_MS = 30_000;

const OF_BODY: ReadonlySet<unknown> = new Set<FailedReason>(["too_large", "timeout"]);

const TIMEOUTS = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
  "ETIMEOUT",
]);

/**
 * Undici's handler interface: a response stream would be built only to be read at once. The time limit
 * includes waiting for a connection.
 */
export function exchange(agent: Agent, url: URL, request: GuardedRequest): Promise<GuardedAnswer> {
  const { method = "GET", headers = {}, body = null, maxBytes, timeoutMs, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: Omit<GuardedAnswer, "body"> | null = null;
  let controller: Dispatcher.DispatchController | null = null;
  let ended: AppError | null = null;

  // The first byte follows onRequestStart, so with a controller it counts as sent.
  const fail = (reason: UrlFailure["reason"]) => end(urlFailed({ reason, sent: controller !== null }));
  const end = (fault: AppError) => {
    if (ended) return;
    ended = fault;
    release();
    if (answer && request.statusOnly && OF_BODY.has(fault.details.reason))
      resolve({ ...answer, body: Buffer.alloc(0) });
    else reject(fault);
    controller?.abort(fault);
  };
  const moved = (head: Omit<GuardedAnswer, "body">) => {
    ended = urlFailed({ reason: "redirect", sent: true });
    release();
    resolve({ ...head, body: Buffer.alloc(0) });
    controller?.abort(ended);
  };
  const timer = setTimeout(() => fail("timeout"), timeoutMs);
  const onAbort = () => fail("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  const release = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  if (signal?.aborted) {
    onAbort();
    return promise;
  }

  const silenceMs = request.silenceMs ?? SILENCE_MS;
  agent.dispatch(
    {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      // A compressed answer could expand to any size.
      headers: { "user-agent": "Recado", ...headers, "accept-encoding": "identity" },
      body,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    },
    {
      onRequestStart(started) {
        if (ended) return started.abort(ended);
        controller = started;
        request.onWire?.();
      },
      onResponseStart(_controller, status, answerHeaders) {
        if (status < 200) return;
        answer = { status, headers: answerHeaders };
        if (isRedirect(status)) return request.redirects ? moved(answer) : fail("redirect");
        if (Number(answerHeaders["content-length"] ?? 0) > maxBytes) fail("too_large");
      },
      onResponseData(_controller, chunk) {
        size += chunk.byteLength;
        if (size > maxBytes) fail("too_large");
        else chunks.push(chunk);
      },
      onResponseEnd() {
        release();
        if (answer && !ended) resolve({ ...answer, body: Buffer.concat(chunks) });
      },
      onResponseError: (_controller, error) => end(faultOf(error, controller !== null)),
    },
  );
  return promise;
}

export const isRedirect = (status: number) => status >= 300 && status < 400 && status !== 304;

export const urlFailed = (failure: UrlFailure) => new AppError("url_failed", failure);

/** undici may hide the real error in its cause, or in a list of several attempts. */
function faultOf(error: unknown, sent: boolean): AppError {
  const codes = codesOf(error);
  if (codes.includes(PRIVATE_CODE)) return new AppError("url_private");
  if (codes.some((code) => TIMEOUTS.has(code))) return urlFailed({ reason: "timeout", sent });
  if (codes.includes("UND_ERR_HEADERS_OVERFLOW")) return urlFailed({ reason: "too_large", sent });
  return urlFailed({ reason: "network", sent });
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (
    let one: unknown = error;
    typeof one === "object" && one !== null;
    one = "cause" in one ? one.cause : null
  ) {
    if ("code" in one && typeof one.code === "string") codes.push(one.code);
  }
  return codes;
}
