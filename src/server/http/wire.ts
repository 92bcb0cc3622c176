import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/errors.ts";

const MAX_URL = 8_192;
/** Duplicates could be read as two different requests. */
const SINGLE = new Set([
  "authorization",
  "content-type",
  "content-length",
  "host",
  "origin",
  "sec-fetch-site",
]);

/** Validates a request's form; `incoming`: Node's view. */
export function checkWire(request: Request, incoming: IncomingMessage | undefined): void {
  const path = incoming?.url ?? request.url;
  if (path.length > MAX_URL) throw new AppError("uri_too_long");
  // The URL parser resolves dots: `/api/%2e%2e/` arrives as `/`, so check the raw path.
  if (/^[^?]*\/(\.|%2e){1,2}(\/|$|\?)/i.test(path)) throw new AppError("not_found");
  refuseRepeatedHeaders(incoming?.rawHeaders ?? []);
}

function refuseRepeatedHeaders(raw: string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    if (SINGLE.has(name) && seen.has(name)) throw new AppError("invalid_request");
    seen.add(name);
  }
}

/**
 * Socket address, or the one the outermost of `trustedProxies` saw; further left in X-Forwarded-For is
 * caller's text.
 */
export function clientAddress(
  request: { headers: Pick<Headers, "get"> },
  incoming: IncomingMessage | undefined,
  trustedProxies: number,
): string {
  const socket = incoming?.socket.remoteAddress ?? "127.0.0.1";
  if (trustedProxies === 0) return socket;
  const chain = (request.headers.get("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  return chain.at(-trustedProxies) || socket;
}
