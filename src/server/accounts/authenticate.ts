import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Caller } from "../http/session-guard.ts";
import { hashApiKeySecret, parseApiKey, sameHash } from "./api-keys.ts";
import type { Auth } from "./auth.ts";
import { deleteSession, findLivingApiKey, touchApiKey, touchSession } from "./repo.ts";

export const SESSION_IDLE_MS = 7 * 86_400_000;
/** Covers requests that left before the new cookie arrived; their 401 would end a signed-in user's other tabs. */
export const FORMER_SESSION_MS = 10_000;
/** Written at most once a minute; otherwise every request would write. */
const SEEN_MS = 60_000;

type Deps = { auth: Auth; db: Db; clock: Clock; cookieName: string };

/**
 * By `Authorization: Bearer rcd_…` or session cookie. A sent key decides alone: a wrong one must not pass
 * because of a cookie. Throws `account_suspended`.
 */
export function authenticator(deps: Deps): (headers: Headers) => Promise<Caller | null> {
  return async (headers) => {
    const authorization = headers.get("authorization");
    // Other schemes carry a proxy's password, which browsers add to every request.
    if (authorization !== null && /^bearer\b/i.test(authorization)) return byKey(deps, authorization);
    const cookie = headers.get("cookie");
    return cookie?.includes(`${deps.cookieName}=`) ? bySession(deps, cookie) : null;
  };
}

async function byKey({ db, clock }: Deps, authorization: string): Promise<Caller | null> {
  const parsed = parseApiKey(authorization.slice("bearer".length).trim());
  if (!parsed) return null;
  const now = clock.now();
  const key = await findLivingApiKey(db, parsed.id, now);
  if (!key || !sameHash(key.hash, hashApiKeySecret(parsed.secret))) return null;
  if (key.suspended) throw new AppError("account_suspended");
  const stale = new Date(now.getTime() - SEEN_MS);
  if (key.last_used_at === null || key.last_used_at < stale) await touchApiKey(db, parsed.id, now, stale);
  const { account_id: accountId, name: keyName, scope } = key;
  return { accountId, via: "key", keyName, scope };
}

async function bySession({ auth, db, clock }: Deps, cookie: string): Promise<Caller | null> {
  const found = await readSession(auth, cookie);
  if (!found) return null;
  const { id, userId, updatedAt } = found.session;
  const now = clock.now();
  // Created while the account was being suspended.
  if (found.user.suspendedAt) {
    await deleteSession(db, id);
    return null;
  }
  const unusedMs = now.getTime() - updatedAt.getTime();
  if (unusedMs > SESSION_IDLE_MS) {
    await deleteSession(db, id);
    return null;
  }
  if (unusedMs > SEEN_MS) await touchSession(db, id, now, new Date(now.getTime() - SEEN_MS));
  return { accountId: userId, via: "session", sessionId: id };
}

async function readSession(auth: Auth, cookie: string) {
  try {
    return await auth.api.getSession({ headers: new Headers({ cookie }) });
  } catch {
    // The library hides the cause; reading a session fails only with the database.
    throw new AppError("unavailable");
  }
}
