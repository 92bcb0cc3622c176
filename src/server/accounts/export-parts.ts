import { columnsIn } from "../../domain/campaign-fields.ts";
import { ERASED_COUNTS } from "../db/erased-people.ts";

/** `$account` stands for the account's id. */
export type ExportPart = {
  type: string;
  columns: string;
  from: string;
  where: string;
  /** For millions of rows: each id of this table's rows replaces `$of` in `where`. */
  by?: "connection" | "contact_list" | "contact_import" | "campaign";
};

const OWN = "t.account_id = $account";

const through = (child: string, parent: string, column: string): string =>
  `${child} t join ${parent} c on c.id = t.${column}`;

const of = (type: string, columns: string): ExportPart => ({
  type,
  columns,
  from: `${type} t`,
  where: OWN,
});

/**
 * Without secrets: no password, hash, sealed key, session token or device key. A test compares this with all
 * tables.
 */
export const EXPORT_PARTS: readonly ExportPart[] = [
  {
    ...of(
      "account",
      "id, name, email, email_confirmed_at, pending_email, company, language, time_zone, terms_version, terms_accepted_at, monthly_limit, campaigns_per_week, undo_seconds, opt_out_confirmation, risk_read_at, created_at",
    ),
    where: "t.id = $account",
  },
  of(
    "notification_preference",
    `email_campaign_completed, email_delivery_issues, email_account_updates, email_marketing, email_product,
     browser_campaign_status, browser_new_message, updated_at`,
  ),
  of("session", "ip_address, user_agent, created_at, updated_at, expires_at"),
  of("api_key", "id, name, prefix, scope, expires_at, revoked_at, last_used_at, created_at"),
  of("mail", "id, kind, address, subject, body, error, created_at, sent_at, given_up_at"),
  of("audit_event", "id, at, kind, actor, key_name, address, browser, subject, subject_id, details"),
  of("direct_message_usage", "day, messages"),
  of(
    "connection",
    "id, kind, device_id, name, is_default, state, state_reason, state_since, new_chats, created_at",
  ),
  {
    type: "number_plan",
    columns: "t.connection_id, t.plan, t.updated_at",
    from: through("number_plan", "connection", "connection_id"),
    where: "c.account_id = $account",
  },
  of("gateway", "id, name, url, created_at"),
  of(
    "instance",
    "connection_id, name, gateway_url, number, profile_name, picture_url, relay_url, former_webhook, created_at",
  ),
  of("mistral_setting", "base_url, updated_at"),
  of("account_limit", "name, value"),
  of("agent_calls", "day, calls"),
  of("operator_service", "service"),
  of("operator_agent", "agent_id, created_at"),
  of("assistant_link", "connection_id, agent_id, agent_name, active, pause_minutes, linked_at"),
  of("account_people", "people"),
  of("contact_field", "id, key, label, kind, seq"),
  of("segment", "id, name, rule, created_at, updated_at"),
  of("message_template", "id, name, text, attachment_id, created_at, updated_at"),
  of(
    "person",
    `id, phone::text as phone, name, fields, origin, origin_import_id, origin_row, origin_by, created_at,
     updated_at`,
  ),
  {
    ...of("erased_person", "people"),
    from: `${ERASED_COUNTS} t`,
  },
  of("contact_list", "id, name, contacts, created_at"),
  {
    type: "membership",
    columns: "list_id, seq, person_id",
    from: through("membership", "contact_list", "list_id"),
    where: "t.list_id = $of and c.account_id = $account",
    by: "contact_list",
  },
  of(
    "contact_import",
    `id, list_id, list_name, file_name, state, fault, basis, basis_note, rows_read, imported, repeated, refused, ninth_added,
     created_at, finished_at`,
  ),
  {
    type: "contact_import_row",
    columns: "import_id, row_number, kind, name, value, reason",
    from: through("contact_import_row", "contact_import", "import_id"),
    where: "t.import_id = $of and c.account_id = $account",
    by: "contact_import",
  },
  of("opt_out", "phone::text as phone, source, connection_id, text, created_at"),
  of("attachment", "id, kind, name, mime, size, width, height, seconds, created_at"),
  of(
    "campaign",
    `id, ${columnsIn("export").join(", ")}, pause_reason, late, resends_id, total, pending_count, sending_count, waiting_count, skipped_count,
     uncertain_count, error_count, accepted_count, sent_count, delivered_count, read_count, created_at, started_at, ended_at`,
  ),
  {
    type: "campaign_part",
    columns: "campaign_id, part, t.attachment_id",
    from: through("campaign_part", "campaign", "campaign_id"),
    where: "c.account_id = $account",
  },
  {
    type: "campaign_day",
    columns: "campaign_id, day, accepted, unconfirmed, failed, uncertain, delivered, read",
    from: through("campaign_day", "campaign", "campaign_id"),
    where: "c.account_id = $account",
  },
  {
    type: "delivery",
    columns: `campaign_id, seq, case when phone > 0 then phone::text end as phone, t.name,
      (array['pending', 'sending', 'waiting', 'skipped', 'uncertain', 'error', 'accepted', 'sent', 'delivered', 'read'])[t.status + 1] as status,
      tries, error, at, vars`,
    from: through("delivery", "campaign", "campaign_id"),
    where: "t.campaign_id = $of and c.account_id = $account",
    by: "campaign",
  },
  {
    type: "delivery_part",
    columns: "t.campaign_id, t.seq, t.part, t.status, t.at",
    from: through("delivery_part", "campaign", "campaign_id"),
    where: "t.campaign_id = $of and c.account_id = $account",
    by: "campaign",
  },
  of("delivery_action", "id, campaign_id, seq, action, created_at"),
  of(
    "chat",
    "id, connection_id, kind, phone::text as phone, jid, lid, push_name, unread, agent_off, last_at, created_at",
  ),
  {
    ...of(
      "chat_message",
      "id, chat_id, at, from_me, via_api, participant, participant_name, kind, text, edited, attachment_id, status",
    ),
    where: `t.connection_id = $of and ${OWN}`,
    by: "connection",
  },
  of("message_deletion", "chat_id, message_key, by_writer, at"),
  of("message_reaction", "chat_id, message_key, from_me, participant, participant_name, emoji, at"),
  {
    ...of("received_file", "message_id, state, kind, name, mime, size, seconds, pages, at"),
    where: `t.connection_id = $of and ${OWN}`,
    by: "connection",
  },
  of(
    "outbox",
    "id, connection_id, phone::text as phone, jid, text, attachment_id, origin, about_key, action, status, error, created_at, at",
  ),
  of(
    "agent_answer",
    `id, connection_id, chat_id, chat_name, agent_id, agent_name, question, state, reason, text, created_at, finished_at`,
  ),
];
