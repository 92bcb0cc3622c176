/** Texts are in `contract/error-messages.ts`, HTTP statuses in `server/http/error-status.ts`. */
export const ERROR_CODES = [
  // HTTP and access
  "invalid_request",
  "invalid_fields",
  "not_found",
  "method_not_allowed",
  "unauthenticated",
  "forbidden_origin",
  "wrong_host",
  "unknown_host",
  "forbidden_scope",
  "key_in_query",
  "unsupported_media_type",
  "payload_too_large",
  "uri_too_long",
  "too_many_requests",
  "took_too_long",
  "unavailable",
  "starting",
  "outdated",
  "internal",
  "limit_reached",
  "service_closed",
  // accounts
  "login_failed",
  "insecure_address",
  "reset_link_over",
  "confirmation_link_over",
  "email_not_confirmed",
  "signup_failed",
  "signup_closed",
  "invitation_over",
  "account_suspended",
  "email_change_failed",
  "too_many_keys",
  "export_running",
  // e-mail
  "mail_not_configured",
  // contacts
  "list_name_required",
  "import_failed",
  "import_no_phone_column",
  "import_empty",
  "import_too_many_rows",
  "import_unclosed_quote",
  "import_unreadable_encoding",
  "import_not_csv",
  "import_duplicate_header",
  "import_split_phone",
  "import_broken_names",
  "json_not_a_list",
  "json_invalid",
  "import_interrupted",
  "upload_stalled",
  "contact_repeated",
  "undo_too_late",
  "phone_invalid",
  // images
  "image_unsupported",
  "image_too_large",
  "image_too_many_pixels",
  "image_corrupt",
  // connections
  "device_number_required",
  "device_not_connected",
  "device_unknown",
  "restored_held",
  "qr_not_ready",
  "pairing_code_refused",
  "url_forbidden",
  "url_private",
  "url_failed",
  "idempotency_mismatch",
  "idempotency_running",
  "send_refused",
  "send_uncertain",
  // chats
  "chat_message_not_failed",
  "chat_message_doubtful",
  // campaigns
  "campaign_connection_required",
  "campaign_no_default_connection",
  "campaign_list_empty",
  "campaign_not_editable",
  "campaign_changed",
  "campaign_wrong_state",
  "campaign_still_writing",
  "campaign_nothing_to_resend",
  "campaign_placeholders",
  "delivery_already_resolved",
  "delivery_awaited",
  "person_opted_out",
  "person_asks_to_leave",
  "monthly_limit_reached",
  // gateways
  "gateway_exists",
  "gateway_provided",
  "gateway_withdrawn",
  "instances_fetch_failed",
  "instance_create_failed",
  "instance_delete_failed",
  "instance_taken",
  "picture_missing",
  "webhook_failed",
  "webhook_refused",
  "webhook_url_required",
  // gateways
  "gateway_wrong_key",
  "gateway_unreachable",
  "gateway_failed",
  "gateway_database",
  "gateway_garbage",
  "license_required",
  "instance_name_taken",
  "instance_unknown",
  // agents at Mistral
  "assistant_changed",
  "mistral_no_key",
  "mistral_wrong_key",
  "mistral_rate_limited",
  "mistral_down",
  "mistral_refused",
  "mistral_garbage",
  "mistral_no_answer",
  "mistral_agent_missing",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** `details` fills the text. Never put secrets in: it is shown and logged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: ErrorCode, details: Record<string, unknown> = {}) {
    super(code);
    this.name = "AppError";
    this.code = code;
    this.details = details;
  }
}
