import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** Who does something: a signed-in browser, a program with a key, the operator at a command line, or somebody who has proved nothing. */
export type Actor =
  | { by: "session" }
  | { by: "key"; keyId: number }
  | { by: "operator" }
  | { by: "stranger" };

/** What is going on: a request, or a command of the operator's. */
export type RequestContext = {
  /** On each of its log lines, in its answer's `x-request-id`, and in what a person reads of a fault of ours. */
  requestId: string;
  actor: Actor;
  /** `GET /api/campaigns/{id}`, once it is known what is asked for. */
  route?: string;
  address: string | null;
  userAgent: string | null;
};

const visits = new AsyncLocalStorage<RequestContext>();

/**
 * Does some work, and all that follows from it, as a part of a visit. Log lines and the record of what was done are written deep inside:
 * who and which request goes there by itself instead of as an argument of every function between.
 */
export function during<T>(visit: RequestContext, work: () => T): T {
  return visits.run(visit, work);
}

/** Null where nobody asked: the server does it by itself. */
export const currentRequest = (): RequestContext | null => visits.getStore() ?? null;

/** The operator's own visit, for commands. */
export const operatorRequest = (): RequestContext => ({
  requestId: randomUUID(),
  actor: { by: "operator" },
  address: null,
  userAgent: null,
});
