import { betterAuth } from "better-auth";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import { isDatabaseDown } from "../db/errors.ts";
import type { PasswordHasher } from "./password.ts";

const DAY_SECONDS = 86_400;
/** A session ends for good after this long, used or not. Ending it when unused is `service.ts`' part. */
export const SESSION_SECONDS = 30 * DAY_SECONDS;

export type AuthSettings = {
  db: Db;
  /** Signs the cookies. It lives outside the database, so that a copy of the database opens no session. */
  secret: string;
  /** The public address; over https the cookie is Secure and bound to the host. */
  url: string;
  hasher: PasswordHasher;
  log: Logger;
};

/** The cookie's name. `__Host-` makes browsers refuse it without Secure, from a subdomain or for a path. */
export function sessionCookieName(url: string): string {
  return `${cookiePrefix(url)}.session_token`;
}

function cookiePrefix(url: string): string {
  return url.startsWith("https:") ? "__Host-recado" : "recado";
}

/** better-auth on our pool and our tables: e-mail and password, sessions in the database, and nothing else of it. */
export function createAuth({ db, secret, url, hasher, log }: AuthSettings) {
  return betterAuth({
    appName: "Recado",
    baseURL: url,
    secret,
    database: { db, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    // Its own counters watch its own routes, which are not mounted; ours are in limits.ts.
    rateLimit: { enabled: false },
    logger: {
      level: "error",
      disableColors: true,
      // Of the fault its message alone: the rest of it may hold somebody's e-mail.
      log: (_level, message, cause) =>
        log[isDatabaseDown(cause) ? "warn" : "error"](
          { cause: cause instanceof Error ? cause.message : undefined },
          message,
        ),
    },
    emailAndPassword: {
      enabled: true,
      // Judged before, in code points. The library counts UTF-16 units: an emoji is two of them.
      minPasswordLength: 1,
      maxPasswordLength: 1_000,
      password: {
        hash: (password) => hasher.hash(password),
        verify: ({ hash, password }) => hasher.verify(hash, password),
      },
    },
    session: {
      modelName: "session",
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      // A cached session would outlive its logout.
      cookieCache: { enabled: false },
      fields: {
        userId: "account_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    user: {
      modelName: "account",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
      additionalFields: {
        timeZone: { type: "string", required: true, fieldName: "time_zone" },
        termsVersion: { type: "string", required: true, fieldName: "terms_version" },
        suspendedAt: { type: "date", required: false, input: false, fieldName: "suspended_at" },
        termsAcceptedAt: { type: "date", required: true, fieldName: "terms_accepted_at" },
      },
    },
    account: { modelName: "credential", fields: CREDENTIAL_COLUMNS },
    verification: {
      modelName: "verification",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    advanced: {
      // A session and its account in one statement, which every request begins with.
      database: { generateId: "uuid", joins: true },
      cookiePrefix: cookiePrefix(url),
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: url.startsWith("https:"),
      },
      // The service hands over headers of its own making; the address in them is the one that http has judged.
      ipAddress: { ipAddressHeaders: ["x-recado-client"] },
    },
  });
}

const CREDENTIAL_COLUMNS = {
  userId: "account_id",
  providerId: "provider_id",
  accountId: "provider_account_id",
  accessToken: "access_token",
  refreshToken: "refresh_token",
  idToken: "id_token",
  accessTokenExpiresAt: "access_token_expires_at",
  refreshTokenExpiresAt: "refresh_token_expires_at",
  createdAt: "created_at",
  updatedAt: "updated_at",
} as const;

export type Auth = ReturnType<typeof createAuth>;
