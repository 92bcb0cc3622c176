import type { Access } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";

/** Who calls, once proved: by the session's cookie, or by an API key in `Authorization: Bearer`. */
export type Caller =
  | { accountId: string; via: "session"; sessionId: string }
  | { accountId: string; via: "key"; keyId: number };

/** Looks the caller up by cookie or key; null when neither proves anybody. Given by the accounts feature. */
export type Authenticate = (request: Request) => Promise<Caller | null>;

/** The caller that an endpoint asks for; null for a public one, whose caller nobody asks about. */
export async function guard(
  access: Access,
  request: Request,
  authenticate: Authenticate,
): Promise<Caller | null> {
  if (access === "public") return null;
  refuseKeyInQuery(new URL(request.url).searchParams);
  const caller = await authenticate(request);
  if (!caller) throw new AppError("unauthenticated");
  if (access === "user" && caller.via === "key") throw new AppError("forbidden_scope");
  return caller;
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
