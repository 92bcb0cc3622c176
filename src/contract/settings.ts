import { z } from "zod";
import { WEEKLY_MOST } from "../domain/audience.ts";
import { UNDO_S } from "../domain/campaign.ts";
import { LIMIT_NAMES, type LimitName } from "../domain/limits.ts";
import { Language, Me, PasswordChanged } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, ProvedPassword, RowId } from "./ids.ts";

export const ApiKeyScope = z.enum(["all", "read", "send"]);
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;

/** Its beginning identifies the key but grants no access. */
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

export const Session = z.object({
  id: z.uuid(),
  current: z.boolean(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
});
export type Session = z.infer<typeof Session>;

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

export const Notifications = NotificationPreferences.extend({
  mail: z.object({
    configured: z.boolean(),
    /** The operator has not opened notices to this account; security e-mails are sent anyway. */
    closed: z.boolean(),
    last: z.object({ subject: z.string(), at: z.iso.datetime(), error: z.string().nullable() }).nullable(),
  }),
});
export type Notifications = z.infer<typeof Notifications>;

/** Messages accepted by WhatsApp per calendar month in the account's zone. */
const LimitUse = z.object({
  name: z.enum(LIMIT_NAMES as [LimitName, ...LimitName[]]),
  /** Null: no limit. */
  most: z.number().nullable(),
  used: z.number(),
});

export const Usage = z.object({
  /** `2026-11`. */
  month: z.string(),
  campaigns: z.number(),
  single: z.number(),
  total: z.number(),
  limit: z.number().nullable(),
  renewsAt: z.iso.datetime(),
  history: z.array(z.object({ month: z.string(), total: z.number() })),
  limits: z.array(LimitUse),
});
export type Usage = z.infer<typeof Usage>;

/** Null: any number. */
const WeeklyLimit = z.strictObject({
  campaignsPerWeek: z.number().int().min(1).max(WEEKLY_MOST).nullable(),
});

const UndoTime = z.strictObject({ seconds: z.number().int().min(0).max(UNDO_S.most) });

const OptOutConfirmation = z.strictObject({ text: z.string() });

export const settings = {
  undoTime: endpoint({
    method: "GET",
    path: "/api/settings/undo-time",
    summary: "Seconds in which a campaign that was created to start now can be taken back",
    access: "user",
    answer: UndoTime,
  }),
  setUndoTime: endpoint({
    method: "PUT",
    path: "/api/settings/undo-time",
    summary: "Set the seconds before a campaign that is created to start now begins",
    access: "user",
    body: UndoTime,
    answer: UndoTime,
  }),
  weeklyLimit: endpoint({
    method: "GET",
    path: "/api/settings/weekly-limit",
    summary: "How many campaigns a person may get in seven days",
    access: "user",
    answer: WeeklyLimit,
  }),
  setWeeklyLimit: endpoint({
    method: "PUT",
    path: "/api/settings/weekly-limit",
    summary:
      "Leave people out of a campaign that starts who got this many in seven days, or wait to get them",
    access: "user",
    body: WeeklyLimit,
    answer: WeeklyLimit,
  }),
  optOutConfirmation: endpoint({
    method: "GET",
    path: "/api/settings/opt-out-confirmation",
    summary: "What a person who opts out by message is answered, once",
    access: "user",
    answer: OptOutConfirmation,
  }),
  setOptOutConfirmation: endpoint({
    method: "PUT",
    path: "/api/settings/opt-out-confirmation",
    summary: "Change the answer to an opt-out; an empty text restores the product's words",
    access: "user",
    body: OptOutConfirmation,
    answer: OptOutConfirmation,
    maxBody: 16_384,
  }),
  profile: endpoint({
    method: "PATCH",
    path: "/api/settings/profile",
    summary:
      "Change name, company, time zone, language; a new e-mail asks for the password, and is confirmed from there where e-mails are sent",
    access: "user",
    body: z.strictObject({
      name: z.string().optional(),
      company: z.string().optional(),
      timeZone: z.string().max(80).optional(),
      language: Language.optional(),
      email: z.string().optional(),
      password: z.string().optional(),
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
      days: z.number().int().min(1).max(3650).nullable().default(null),
      password: ProvedPassword,
      /** The same key returns the same API key while that one is unchanged. */
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
    summary: "Notification preferences of the person",
    access: "user",
    answer: Notifications,
  }),
  saveNotifications: endpoint({
    method: "PATCH",
    path: "/api/settings/notifications",
    summary: "Change the notification preferences of the person",
    access: "user",
    body: z.strictObject(NotificationPreferences.partial().shape),
    answer: Notifications,
  }),
  testMail: endpoint({
    method: "POST",
    path: "/api/settings/notifications/test",
    summary: "Send a test e-mail now",
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

/** Link in the footer of news e-mails. The token identifies account and topic, so no session is needed. */
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
    summary: "No more e-mails of this kind; also for one-click unsubscribing (RFC 8058)",
    access: "public",
    ignoresBody: true,
    params: z.object({ token: z.string().max(300) }),
    answer: z.object({ kind: z.enum(["marketing", "product"]), email: z.string(), subscribed: z.boolean() }),
  }),
};
