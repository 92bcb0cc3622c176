import { z } from "zod";
import { LIMIT_NAMES, type LimitName } from "../domain/limits.ts";
import { Language, Me, PasswordChanged } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, ProvedPassword, RowId } from "./ids.ts";

/** What a key of the REST interface may do: all of it, only read, or read and send single messages. */
export const ApiKeyScope = z.enum(["all", "read", "send"]);
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;

/** A key as the list shows it: its beginning tells it apart and opens nothing. */
export const ApiKey = z.object({
  id: z.number(),
  name: z.string(),
  prefix: z.string(),
  scope: ApiKeyScope,
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** A browser that is signed in. */
export const Session = z.object({
  id: z.uuid(),
  /** The one that asks. */
  current: z.boolean(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
});
export type Session = z.infer<typeof Session>;

/** What the person wants to be told by e-mail and in the browser. */
export const NotificationPreferences = z.object({
  emailCampaignCompleted: z.boolean(),
  emailDeliveryIssues: z.boolean(),
  emailAccountUpdates: z.boolean(),
  emailMarketing: z.boolean(),
  emailProduct: z.boolean(),
  browserCampaignStatus: z.boolean(),
  browserNewMessage: z.boolean(),
});
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

/** `mail`: whether this server can send e-mail at all, and what became of the last letter to this account. */
export const Notifications = NotificationPreferences.extend({
  mail: z.object({
    configured: z.boolean(),
    /** The installation sends e-mail, and its operator has not opened notices to this account. Security letters go all the same. */
    closed: z.boolean(),
    last: z.object({ subject: z.string(), at: z.iso.datetime(), error: z.string().nullable() }).nullable(),
  }),
});
export type Notifications = z.infer<typeof Notifications>;

/** Messages that WhatsApp took from this account, by calendar month of its zone. */
/** A limit of the account: how much of it is used. `stored_bytes` counts bytes, all others count things. */
const LimitUse = z.object({
  name: z.enum(LIMIT_NAMES as [LimitName, ...LimitName[]]),
  /** Null: without a limit. */
  most: z.number().nullable(),
  used: z.number(),
});

export const Usage = z.object({
  /** `2026-11`. */
  month: z.string(),
  campaigns: z.number(),
  single: z.number(),
  total: z.number(),
  /** Set by the operator; null: none. */
  limit: z.number().nullable(),
  /** When the next month begins. */
  renewsAt: z.iso.datetime(),
  /** The months before, newest first, at most twelve. */
  history: z.array(z.object({ month: z.string(), total: z.number() })),
  limits: z.array(LimitUse),
});
export type Usage = z.infer<typeof Usage>;

export const settings = {
  profile: endpoint({
    method: "PATCH",
    path: "/api/settings/profile",
    summary:
      "Change name, company, time zone, language; a new e-mail asks for the password, and is confirmed from there where letters are sent",
    access: "user",
    body: z.strictObject({
      name: z.string().optional(),
      company: z.string().optional(),
      timeZone: z.string().max(80).optional(),
      language: Language.optional(),
      email: z.string().optional(),
      password: z.string().optional(),
      /** The notice about WhatsApp's rules was read; the first steps were put away (false: shown again). */
      riskRead: z.literal(true).optional(),
      stepsHidden: z.boolean().optional(),
    }),
    answer: Me,
    maxBody: 16_384,
  }),
  password: endpoint({
    method: "POST",
    path: "/api/settings/password",
    summary: "Change the password; every other session ends, and all other access if wanted",
    access: "user",
    body: z.strictObject({
      password: z.string(),
      newPassword: z.string(),
      confirmPassword: z.string(),
      /** Ends API keys and addresses for messages, too. */
      endAccess: z.boolean().default(false),
    }),
    answer: PasswordChanged,
    maxBody: 16_384,
  }),
  apiKeys: endpoint({
    method: "GET",
    path: "/api/settings/api-keys",
    summary: "Keys of the REST interface",
    access: "user",
    answer: z.object({ keys: z.array(ApiKey) }),
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/settings/api-keys",
    summary:
      "Make a key; its text is answered this once. Asks for the password, unless it was typed a short while ago",
    access: "user",
    body: z.strictObject({
      name: z.string(),
      scope: ApiKeyScope.default("all"),
      /** Days until it expires; null: never. */
      days: z.number().int().min(1).max(3650).nullable().default(null),
      password: ProvedPassword,
      /** With the same key the same text is answered again, while that key still stands as it was made. */
      idempotencyKey: IdempotencyKey.optional(),
    }),
    answer: z.object({ key: z.string(), apiKey: ApiKey }),
    status: 201,
  }),
  revokeApiKey: endpoint({
    method: "DELETE",
    path: "/api/settings/api-keys/{id}",
    summary: "Revoke a key: it opens nothing any more",
    access: "user",
    params: z.object({ id: RowId }),
    answer: ApiKey,
  }),
  passwordProof: endpoint({
    method: "GET",
    path: "/api/settings/password-proof",
    summary: "Whether making a key or setting an outward address would ask for the password now",
    access: "user",
    answer: z.object({ needed: z.boolean() }),
  }),
  sessions: endpoint({
    method: "GET",
    path: "/api/settings/sessions",
    summary: "Browsers that are signed in",
    access: "user",
    answer: z.object({ sessions: z.array(Session) }),
  }),
  endSession: endpoint({
    method: "DELETE",
    path: "/api/settings/sessions/{sessionId}",
    summary: "End a session",
    access: "user",
    params: z.object({ sessionId: z.string().max(60) }),
    answer: z.object({ success: z.boolean() }),
  }),
  notifications: endpoint({
    method: "GET",
    path: "/api/settings/notifications",
    summary: "What the person wants to be told",
    access: "user",
    answer: Notifications,
  }),
  saveNotifications: endpoint({
    method: "PATCH",
    path: "/api/settings/notifications",
    summary: "Change what the person wants to be told",
    access: "user",
    body: z.strictObject(NotificationPreferences.partial().shape),
    answer: Notifications,
  }),
  testMail: endpoint({
    method: "POST",
    path: "/api/settings/notifications/test",
    summary: "Send a test letter now",
    access: "user",
    answer: Notifications,
  }),
  usage: endpoint({
    method: "GET",
    path: "/api/settings/usage",
    summary: "Messages of the month against the limit, and the months before",
    access: "user",
    answer: Usage,
  }),
  exportData: endpoint({
    method: "GET",
    path: "/api/settings/export",
    summary: "Everything of the account as one file: JSON Lines, one row a line, no secrets",
    access: "user",
    answer: "stream",
    media: "application/x-ndjson",
  }),
  removeAccount: endpoint({
    method: "POST",
    path: "/api/settings/account/delete",
    summary: "Delete the account and all that belongs to it, at once and for good; asks for the password",
    access: "user",
    body: z.strictObject({ password: z.string() }),
    answer: z.void(),
    status: 204,
    maxBody: 16_384,
  }),
};

/** The link at the foot of news and offers. The token says who and what; no session is needed. */
export const unsubscribe = {
  show: endpoint({
    method: "GET",
    path: "/api/unsubscribe/{token}",
    summary: "What an unsubscribe link is about",
    access: "public",
    params: z.object({ token: z.string().max(300) }),
    answer: z.object({ kind: z.enum(["marketing", "product"]), email: z.string(), subscribed: z.boolean() }),
  }),
  confirm: endpoint({
    method: "POST",
    path: "/api/unsubscribe/{token}",
    summary: "No more letters of this kind; also for one-click unsubscribing (RFC 8058)",
    access: "public",
    ignoresBody: true,
    params: z.object({ token: z.string().max(300) }),
    answer: z.object({ kind: z.enum(["marketing", "product"]), email: z.string(), subscribed: z.boolean() }),
  }),
};
