import type { FieldKind } from "./field-values.ts";

/** In code points. */
export const SEGMENT_NAME_MAX = 60;
export const SEGMENTS_MOST = 100;
export const CONDITIONS_MOST = 20;
export const DAYS_MOST = 3_650;

export const FIELD_TESTS = [
  "is",
  "is_not",
  "contains",
  "at_least",
  "at_most",
  "last_days",
  "older_days",
  "next_days",
  "filled",
  "empty",
] as const;
export type FieldTest = (typeof FIELD_TESTS)[number];

/** Tests that a field's values allow. */
export const TESTS_OF_KIND: Readonly<Record<FieldKind, readonly FieldTest[]>> = {
  text: ["is", "is_not", "contains", "filled", "empty"],
  number: ["is", "is_not", "at_least", "at_most", "filled", "empty"],
  date: ["is", "is_not", "at_least", "at_most", "last_days", "older_days", "next_days", "filled", "empty"],
  boolean: ["is", "is_not", "filled", "empty"],
};

export const ORIGINS = ["file", "hand", "chat", "api", "before"] as const;
export const REPLY_TESTS = ["last_days", "older_days", "ever", "never"] as const;
export const CAMPAIGN_TESTS = ["got", "delivered", "read", "unread", "failed", "not_got"] as const;
