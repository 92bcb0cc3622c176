import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestContext } from "../base/request-context.ts";
import { clientAddress } from "./wire.ts";

export const REQUEST_ID = "x-request-id";

/** Long enough to be unique, safe in a log line. */
const WELL_FORMED = /^[A-Za-z0-9_-]{8,64}$/;
const MAX_USER_AGENT = 300;

/** Keeps a trusted proxy's well-formed id, so both logs match. */
export function requestContextOf(
  headers: Pick<Headers, "get">,
  incoming: IncomingMessage | undefined,
  trustedProxies: number,
): RequestContext {
  const given = trustedProxies > 0 ? headers.get(REQUEST_ID) : null;
  return {
    requestId: given !== null && WELL_FORMED.test(given) ? given : randomUUID(),
    actor: { by: "stranger" },
    address: clientAddress({ headers }, incoming, trustedProxies),
    userAgent: headers.get("user-agent")?.slice(0, MAX_USER_AGENT) ?? null,
  };
}
