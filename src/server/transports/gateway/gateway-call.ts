import { AppError } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { hasTooManyParts } from "../../net/json-parts.ts";
import type { GatewayAnswer } from "./gateway-errors.ts";

/** A server and how it is spoken to. */
export type GatewayServer = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  /** Origin and path in front of the calls. */
  baseUrl: string;
  /** The server's key, or an instance's token. Never in an error. */
  apiKey: string;
  /** The server is the operator's, whose address needs no entry in RECADO_PRIVATE_HOSTS. */
  provided?: boolean | undefined;
};

export type GatewayCall = {
  method: "GET" | "POST" | "DELETE";
  /** Segments of the path, as they are: they are encoded here. */
  path: readonly string[];
  query?: Record<string, string>;
  body?: unknown;
  timeoutMs: number;
  maxBytes: number;
  /** Called when its first byte is about to be written. */
  onWire?: (() => void) | undefined;
};

/**
 * The address of a call. A name with slashes, dots, question marks or anything else stays one segment: whatever would make another
 * path of it is refused with `instance_unknown`, because no such instance can be spoken to.
 */
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
  // "." and ".." survive encoding, and parsing takes them away.
  if (url.pathname !== wanted) throw new AppError("instance_unknown", { reason: "name" });
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/**
 * One call of a gateway, answered with whatever it said. Throws `gateway_unreachable` with `sent` (false: certainly nothing was asked),
 * `gateway_garbage` for an answer over the limit or of too many parts or one that leads elsewhere, and the guarded fetch's refusals of an address.
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
      ...{ timeoutMs, maxBytes, onWire: call.onWire },
      // A gateway holds a send for a minute while it reconnects; our own limit decides.
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
