import type { EndpointSpec } from "../../contract/endpoint.ts";
import type { ApiKeyScope } from "../../contract/settings.ts";
import { AppError } from "../../domain/errors.ts";

/** Who calls, once proved: by the session's cookie, or by an API key in `Authorization: Bearer`. */
export type Caller =
  | { accountId: string; via: "session"; sessionId: string }
  | { accountId: string; via: "key"; keyId: number; scope: ApiKeyScope };

/** Looks the caller up by cookie or key; null when neither proves anybody. Given by the accounts feature. */
export type Authenticate = (request: Request) => Promise<Caller | null>;

/** The caller that an endpoint asks for; null for a public one, whose caller nobody asks about. */
export async function guard(
  endpoint: EndpointSpec,
  request: Request,
  authenticate: Authenticate,
): Promise<Caller | null> {
  if (endpoint.access === "public") return null;
  refuseKeyInQuery(new URL(request.url).searchParams);
  const caller = await authenticate(request);
  if (!caller) throw new AppError("unauthenticated");
  if (caller.via === "key" && !mayCall(caller.scope, endpoint)) throw new AppError("forbidden_scope");
  return caller;
}

/** What a key opens. Nothing that only a signed-in person may do, whatever its scope: no key makes keys or changes a password. */
function mayCall(scope: ApiKeyScope, { access, method, sends }: EndpointSpec): boolean {
  if (access !== "key") return false;
  return scope === "all" || method === "GET" || (scope === "send" && sends === true);
}

const KEY_NAMES = new Set([
  "key",
  "apikey",
  "api_key",
  "api-key",
  "token",
  "access_token",
  "authorization",
  "bearer",
]);

/** Addresses end in logs, histories and Referer headers: a key in one is a leaked key, so it is refused even when valid. */
function refuseKeyInQuery(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (KEY_NAMES.has(name.toLowerCase())) throw new AppError("key_in_query");
  }
}
