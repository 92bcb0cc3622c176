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

type Head = Omit<GuardedAnswer, "body">;

/** The time limit includes waiting for a connection. */
export function exchange(agent: Agent, url: URL, request: GuardedRequest): Promise<GuardedAnswer> {
  return new Exchange(request).run(agent, url);
}

/** Undici's handler interface: a response stream would be built only to be read at once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: GuardedRequest;
  readonly #result = Promise.withResolvers<GuardedAnswer>();
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#fail("aborted");
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head: Head | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #ended: AppError | null = null;

  constructor(request: GuardedRequest) {
    this.#request = request;
    this.#timer = setTimeout(() => this.#fail("timeout"), request.timeoutMs);
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  run(agent: Agent, url: URL): Promise<GuardedAnswer> {
    const { method = "GET", headers = {}, body = null, silenceMs = SILENCE_MS, signal } = this.#request;
    if (signal?.aborted) this.#onAbort();
    else {
      const options: Dispatcher.DispatchOptions = {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        // A compressed answer could expand to any size.
        headers: { "user-agent": "Recado", ...headers, "accept-encoding": "identity" },
        body,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      };
      agent.dispatch(options, this);
    }
    return this.#result.promise;
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    if (this.#ended) {
      started.abort(this.#ended);
      return;
    }
    this.#controller = started;
    this.#request.onWire?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: GuardedAnswer["headers"],
  ): void {
    if (status < 200) return;
    this.#head = { status, headers };
    if (isRedirect(status)) {
      if (this.#request.redirects) this.#endMoved(this.#head);
      else this.#fail("redirect");
    } else if (Number(headers["content-length"] ?? 0) > this.#request.maxBytes) this.#fail("too_large");
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.#request.maxBytes) this.#fail("too_large");
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    if (this.#head && !this.#ended)
      this.#result.resolve({ ...this.#head, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(errorOf(error, this.#controller !== null));
  }

  /** The first byte follows onRequestStart, so with a controller it counts as sent. */
  #fail(reason: UrlFailure["reason"]): void {
    this.#end(urlFailed({ reason, sent: this.#controller !== null }));
  }

  #end(error: AppError): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#release();
    if (this.#head && this.#request.statusOnly && OF_BODY.has(error.details.reason))
      this.#result.resolve({ ...this.#head, body: Buffer.alloc(0) });
    else this.#result.reject(error);
    this.#controller?.abort(error);
  }

  #endMoved(head: Head): void {
    this.#ended = urlFailed({ reason: "redirect", sent: true });
    this.#release();
    this.#result.resolve({ ...head, body: Buffer.alloc(0) });
    this.#controller?.abort(this.#ended);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }
}

export const isRedirect = (status: number) => status >= 300 && status < 400 && status !== 304;

export const urlFailed = (failure: UrlFailure) => new AppError("url_failed", failure);

/** undici may hide the real error in its cause, or in a list of several attempts. */
function errorOf(error: unknown, sent: boolean): AppError {
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
