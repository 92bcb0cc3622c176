import type { Agent, Dispatcher } from "undici";
import { AppError } from "../../domain/errors.ts";

export type GuardedRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The answer's body in bytes; more is cut off with `url_failed` (`too_large`). */
  maxBytes: number;
  /** From the call to the last byte, waiting for a free connection included. */
  timeoutMs: number;
  /** The longest silence before the answer's first header, and between two pieces of its body. */
  silenceMs?: number;
  /** Nobody reads the answer's body: where that is too large or does not end in time, the status has been said all the same. */
  statusOnly?: true;
  /** How many redirects a GET may follow, each judged as an address of its own; none unless said. */
  redirects?: number;
  /** Gives up early, with the reason `aborted`. */
  signal?: AbortSignal;
  /** Called when the first byte is about to be written, at once. */
  onWire?: (() => void) | undefined;
  /** `unless_vouched`: the operator's own hosts may be reached without TLS. */
  httpsOnly?: boolean | "unless_vouched";
  /** The address is the operator's own configuration: it may be inside the network. Where a redirect leads is judged as ever. */
  configured?: boolean | undefined;
};

export type GuardedAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

/** Why a request that was allowed brought no answer. */
type FailedReason = "redirect" | "too_large" | "timeout" | "aborted" | "network";

/**
 * The details of `url_failed`. `sent` is false only when it is certain that not one byte of the request was written: no connection
 * came about, or none was free in time. Everything else may have been carried out by the other side.
 */
export type UrlFailure = { reason: FailedReason; sent: boolean };

/** Marks the refusal of a resolved address on its way through undici, which wraps what a lookup throws. */
export const PRIVATE_CODE = "ERECADO_PRIVATE";

const SILENCE_MS = 30_000;

/** What befalls a body alone, once the head of its answer is there. */
const OF_BODY: ReadonlySet<unknown> = new Set<FailedReason>(["too_large", "timeout"]);

/** Undici's and our own codes of a wait that was too long; a connection that never came about is one of them. */
const TIMEOUTS = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
  // A name server's.
  "ETIMEOUT",
]);

/**
 * One request and its answer over one of the agent's kept connections, on undici's own handler interface: a response stream per
 * request would be built only to be read at once. The time limit holds from the call, also while no connection is free or made.
 */
export function exchange(agent: Agent, url: URL, request: GuardedRequest): Promise<GuardedAnswer> {
  const { method = "GET", headers = {}, body = null, maxBytes, timeoutMs, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: Omit<GuardedAnswer, "body"> | null = null;
  let controller: Dispatcher.DispatchController | null = null;
  let ended: AppError | null = null;

  // The request's first byte is written right after onRequestStart; with a controller it has to count as sent.
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
  /** Of a redirect that is followed the head says all; its body is not read. */
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
      // A compressed answer could unfold to any size.
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

/** `error`: undici's, which may carry what really happened as its cause or, with several addresses tried, in a list. */
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
