import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ErrorCode } from "../../domain/errors.ts";

/**
 * The HTTP status of every fault: 400 malformed, 401 not signed in, 403 wrong origin or scope, 404 absent or not the
 * caller's (the same bytes), 409 conflict with what is, 413 size, 415 type, 422 a rule of ours, 429 too often,
 * 502 a party behind us refused or failed, 503 wait.
 */
export const ERROR_STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  invalid_request: 400,
  invalid_fields: 422,
  not_found: 404,
  method_not_allowed: 405,
  unauthenticated: 401,
  forbidden_origin: 403,
  forbidden_scope: 403,
  key_in_query: 400,
  unsupported_media_type: 415,
  payload_too_large: 413,
  uri_too_long: 414,
  too_many_requests: 429,
  unavailable: 503,
  internal: 500,

  login_failed: 401,
  signup_failed: 422,

  list_name_required: 422,
  import_failed: 422,
  import_no_phone_column: 422,
  import_empty: 422,
  import_too_many_rows: 422,
  import_unclosed_quote: 422,
  import_unreadable_encoding: 422,
  import_not_csv: 415,
  import_duplicate_header: 422,
  json_not_a_list: 422,
  json_invalid: 422,
  import_interrupted: 422,
  upload_stalled: 408,
  contact_repeated: 409,
  phone_invalid: 422,

  image_unsupported: 415,
  image_too_large: 413,
  image_too_many_pixels: 422,
  image_corrupt: 422,

  device_number_required: 422,
  device_not_connected: 409,
  device_unknown: 404,
  qr_not_ready: 404,
  pairing_code_refused: 409,
  url_forbidden: 422,
  url_private: 422,
  url_failed: 422,
  idempotency_mismatch: 409,
  idempotency_running: 409,
  send_refused: 422,
  send_uncertain: 502,

  campaign_connection_required: 422,
  campaign_no_default_connection: 422,
  campaign_not_editable: 409,
  campaign_wrong_state: 409,
  campaign_nothing_to_resend: 409,
  delivery_already_resolved: 409,
  person_opted_out: 409,

  mistral_no_key: 422,
  mistral_wrong_key: 422,
  mistral_rate_limited: 503,
  mistral_down: 502,
  mistral_refused: 422,
  mistral_garbage: 502,
  mistral_agent_missing: 404,
};
