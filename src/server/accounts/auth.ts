import { betterAuth } from "better-auth";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import { isDatabaseDown } from "../db/errors.ts";
import type { PasswordHasher } from "./password.ts";

const DAY_SECONDS = 86_400;
/** `service.ts` ends unused sessions earlier. */
export const SESSION_SECONDS = 30 * DAY_SECONDS;

export type AuthSettings = {
  db: Db;
  /** Signs cookies; outside the database, so that a database copy opens no session. */
  secret: string;
  /** Over https the cookie is Secure and bound to the host. */
  url: string;
  hasher: PasswordHasher;
  log: Logger;
};

/** `__Host-`: browsers reject it without Secure, from a subdomain or for a path. */
export function sessionCookieName(url: string): string {
  return `${cookiePrefix(url)}.session_token`;
}

function cookiePrefix(url: string): string {
  return url.startsWith("https:") ? "__Host-recado" : "recado";
}

/** Uses better-auth only for e-mail, password and sessions. */
export function createAuth({ db, secret, url, hasher, log }: AuthSettings) {
  return betterAuth({
    appName: "Recado",
    baseURL: url,
    secret,
    database: { db, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    // Counts only its own routes, which are not mounted; ours are in limits.ts.
    rateLimit: { enabled: false },
    logger: { level: "error", disableColors: true, log: loggerOf(log) },
    emailAndPassword: {
      enabled: true,
      // Checked before in code points; the library counts UTF-16 units, two per emoji.
      minPasswordLength: 1,
      maxPasswordLength: 1_000,
      password: {
        hash: (password) => hasher.hash(password),
        verify: ({ hash, password }) => hasher.verify(hash, password),
      },
    },
    session: SESSION,
    user: USER,
    account: { modelName: "credential", fields: CREDENTIAL_COLUMNS },
    verification: {
      modelName: "verification",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    advanced: {
      database: { generateId: "uuid", joins: true },
      cookiePrefix: cookiePrefix(url),
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: url.startsWith("https:"),
      },
      // We pass only headers of our own, with the address that http validated.
      ipAddress: { ipAddressHeaders: ["x-recado-client"] },
    },
  });
}

const SESSION = {
  modelName: "session",
  expiresIn: SESSION_SECONDS,
  disableSessionRefresh: true,
  cookieCache: { enabled: false },
  fields: {
    userId: "account_id",
    expiresAt: "expires_at",
    ipAddress: "ip_address",
    userAgent: "user_agent",
    createdAt: "created_at",
    updatedAt: "updated_at",
  },
} as const;

const USER = {
  modelName: "account",
  fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
  additionalFields: {
    timeZone: { type: "string", required: true, fieldName: "time_zone" },
    termsVersion: { type: "string", required: true, fieldName: "terms_version" },
    suspendedAt: { type: "date", required: false, input: false, fieldName: "suspended_at" },
    termsAcceptedAt: { type: "date", required: true, fieldName: "terms_accepted_at" },
  },
} as const;

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

/** Logs the message and the cause's text; the rest of the error may hold an e-mail. */
const loggerOf =
  (log: Logger) =>
  (_level: string, message: string, cause?: unknown): void =>
    log[isDatabaseDown(cause) ? "warn" : "error"](
      { cause: cause instanceof Error ? cause.message : undefined },
      message,
    );

export type Auth = ReturnType<typeof createAuth>;
