import { AppError } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { hasTooManyParts } from "../../net/json-parts.ts";
import type { GatewayAnswer } from "./gateway-errors.ts";

export type GatewayServer = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  baseUrl: string;
  /** Server key or instance token. Never in an error. */
  apiKey: string;
  /** The operator's server needs no entry in RECADO_PRIVATE_HOSTS. */
  provided?: boolean | undefined;
};

export type GatewayCall = {
  method: "GET" | "POST" | "DELETE";
  path: readonly string[];
  query?: Record<string, string>;
  body?: unknown;
  timeoutMs: number;
  maxBytes: number;
  onWire?: (() => void) | undefined;
};

/** A name is one encoded path segment; one that would change the path is refused with `instance_unknown`. */
export function callUrl(
  baseUrl: string,
  path: readonly string[],
  query: Record<string, string> = {},
): string {
  const url = new URL(baseUrl);
  const before = url.pathname.replace(/\/+$/, "");
  const segments = path.map((segment) => {
    if (segment === "" || !segment.isWellFormed()) throw new AppError("instance_unknown", { reason: "name" });
    return encodeURIComponent(segment);
  });
  const wanted = `${before}/${segments.join("/")}`;
  url.pathname = wanted;
  // URL parsing removes "." and ".." even if encoded.
  if (url.pathname !== wanted) throw new AppError("instance_unknown", { reason: "name" });
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/**
 * Resolves with any answer. Throws `gateway_unreachable` with `sent` (false: nothing was sent),
 * `gateway_garbage` (too large, too many parts or a redirect), `url_forbidden`, `url_private`.
 */
export async function callGateway(
  { guardedFetch, baseUrl, apiKey, provided }: GatewayServer,
  call: GatewayCall,
): Promise<GatewayAnswer> {
  const { method, timeoutMs, maxBytes, body } = call;
  const url = callUrl(baseUrl, call.path, call.query);
  const answer = await guardedFetch
    .fetch(url, {
      method,
      headers: {
        apikey: apiKey,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      maxBytes,
      onWire: call.onWire,
      // A gateway may hold a send for a minute; our own limit decides.
      silenceMs: timeoutMs,
      configured: provided,
    })
    .catch((error: unknown) => {
      throw unreachable(error);
    });
  const retryAfter = answer.headers["retry-after"];
  return {
    status: answer.status,
    body: parse(answer.body),
    retryAfter: typeof retryAfter === "string" ? retryAfter : null,
  };
}

function unreachable(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "url_failed") return error;
  const { reason, sent } = error.details;
  if (reason === "too_large" || reason === "redirect") return new AppError("gateway_garbage", { reason });
  return new AppError("gateway_unreachable", { reason, sent });
}

function parse(bytes: Buffer): unknown {
  if (hasTooManyParts(bytes)) throw new AppError("gateway_garbage", { reason: "too_large" });
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return value;
  } catch {
    return undefined;
  }
}
