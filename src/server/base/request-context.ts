import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** A session, an API key, the operator's command line, or an unauthenticated caller. */
export type Actor =
  | { by: "session" }
  | { by: "key"; keyName: string }
  | { by: "operator" }
  | { by: "stranger" };

export type RequestContext = {
  /** In log lines, `x-request-id` and error pages. */
  requestId: string;
  actor: Actor;
  route?: string;
  address: string | null;
  userAgent: string | null;
};

const visits = new AsyncLocalStorage<RequestContext>();

/** Logs and audit read the request context through AsyncLocalStorage, so functions need no extra argument. */
export function during<T>(visit: RequestContext, work: () => T): T {
  return visits.run(visit, work);
}

export const currentRequest = (): RequestContext | null => visits.getStore() ?? null;

export const operatorRequest = (): RequestContext => ({
  requestId: randomUUID(),
  actor: { by: "operator" },
  address: null,
  userAgent: null,
});
