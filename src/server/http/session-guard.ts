import type { EndpointSpec } from "../../contract/endpoint.ts";
import type { ApiKeyScope } from "../../contract/settings.ts";
import { AppError } from "../../domain/errors.ts";

/** Proved by session cookie or API key. */
export type Caller =
  | { accountId: string; via: "session"; sessionId: string }
  | { accountId: string; via: "key"; keyName: string; scope: ApiKeyScope };

/** Null without proof; implemented by accounts. */
export type Authenticate = (request: Request) => Promise<Caller | null>;

/** Null for a public endpoint. */
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

/** No scope opens person-only endpoints: keys cannot create keys or change passwords. */
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

/** URLs end in logs, histories and Referer: such a key is leaked, so refused even if valid. */
function refuseKeyInQuery(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (KEY_NAMES.has(name.toLowerCase())) throw new AppError("key_in_query");
  }
}
