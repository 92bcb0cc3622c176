/** Codes in `delivery.error`; texts in contract/error-messages.ts. Transports may add codes (`wa_479`). */
export const FAILURE_REASONS = [
  // error: refused, proven not sent
  "not_on_whatsapp",
  "no_devices",
  "no_session",
  "wa_463",
  "gateway_too_large",
  "file_too_large",
  "file_lost",
  "gateway_refused",
  "gateway_hidden",
  "answer_late",
  "answer_withdrawn",
  "suspended",
  // error: some of several messages left
  "incomplete",
  // error, or uncertain after an earlier uncertain attempt
  "unanswered",
  // uncertain: the message may have left
  "interrupted",
  "no_ack",
  "connection_lost",
  "gateway_timeout",
  "gateway_cut",
  "gateway_failed",
  "gateway_garbage",
  // skipped
  "duplicate",
  "cancelled",
  "ignored",
  "opted_out",
  "asked_to_leave",
  "arrived",
  "excluded_list",
  "got_campaign",
  "in_conversation",
  "never_answers",
  "weekly_limit",
  "known_absent",
  "land_line",
  "missing_value",
  "erased",
] as const;

export const REFUSAL_CODES = [
  "400",
  "401",
  "403",
  "404",
  "405",
  "406",
  "410",
  "413",
  "429",
  "463",
  "479",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export const isRefusalCode = (code: string): code is RefusalCode =>
  (REFUSAL_CODES as readonly string[]).includes(code);

export type FailureReason = (typeof FAILURE_REASONS)[number];

export function isFailureReason(code: string): code is FailureReason {
  return (FAILURE_REASONS as readonly string[]).includes(code);
}
