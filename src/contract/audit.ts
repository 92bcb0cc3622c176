import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { RowId, WholeNumber } from "./ids.ts";

export const AUDIT_KINDS = {
  access: [
    "account_created",
    "account_suspended",
    "account_resumed",
    "signed_in",
    "sign_in_failed",
    "session_ended",
    "password_changed",
    "password_reset",
    "email_changed",
    "key_created",
    "key_revoked",
  ],
  connections: [
    "connection_linked",
    "connection_ended",
    "connection_removed",
    "plan_changed",
    "gateway_created",
    "gateway_changed",
    "gateway_removed",
    "instance_created",
    "instance_added",
    "instance_removed",
    "relay_set",
    "relay_ended",
    "mistral_set",
    "mistral_removed",
    "assistant_on",
    "assistant_off",
    "service_opened",
    "service_closed",
  ],
  campaigns: [
    "campaign_scheduled",
    "campaign_started",
    "campaign_paused",
    "campaign_resumed",
    "campaign_undone",
    "campaign_cancelled",
    "campaign_finished",
    "campaign_resent",
    "campaign_archived",
    "campaign_unarchived",
    "campaign_deleted",
    "limit_set",
  ],
  data: [
    "list_renamed",
    "list_duplicated",
    "list_deleted",
    "people_removed",
    "person_erased",
    "person_taken_back",
    "person_exported",
    "people_exported",
    "field_removed",
    "segment_removed",
    "template_removed",
    "data_exported",
    "opt_out_undone",
    "leaving_confirmed",
    "leaving_dismissed",
    "restore_released",
    "secret_key_lost",
    "account_limit_set",
  ],
} as const;

export const AuditGroup = z.enum(["access", "connections", "campaigns", "data"]);
export type AuditGroup = z.infer<typeof AuditGroup>;

export const AuditKind = z.enum([
  ...AUDIT_KINDS.access,
  ...AUDIT_KINDS.connections,
  ...AUDIT_KINDS.campaigns,
  ...AUDIT_KINDS.data,
]);
export type AuditKind = z.infer<typeof AuditKind>;

export const AuditEvent = z.object({
  id: z.number(),
  at: z.iso.datetime(),
  kind: AuditKind,
  actor: z.enum(["session", "key", "operator", "system", "stranger"]),
  /** The key's name at that time. */
  keyName: z.string().nullable(),
  /** Network address and browser (`Chrome, Windows`). */
  address: z.string().nullable(),
  browser: z.string().nullable(),
  subject: z.string().nullable(),
  subjectId: z.number().nullable(),
  /** Values by kind: pause reason, `messages`, `contacts`, new target `host`, list `from`. */
  details: z.record(z.string(), z.union([z.string(), z.number()])).nullable(),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

export const audit = {
  list: endpoint({
    method: "GET",
    path: "/api/audit",
    summary: "Actions on the account with actor and address, newest first; kept for a year",
    access: "user",
    query: z.object({
      group: AuditGroup.optional(),
      /** `next` of the previous page. */
      after: RowId.optional(),
      limit: WholeNumber(1, 200).default(50),
    }),
    answer: z.object({ items: z.array(AuditEvent), next: z.number().nullable() }),
  }),
};
