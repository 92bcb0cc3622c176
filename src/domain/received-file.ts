/**
 * What became of a file that was sent to us. `expired`: no longer kept here; `gone`: WhatsApp has it no longer;
 * `no_room`: the account's limit; `disk_full`: the installation's.
 */
export const RECEIVED_STATES = [
  "coming",
  "here",
  "expired",
  "failed",
  "gone",
  "too_large",
  "no_room",
  "disk_full",
] as const;
export type ReceivedState = (typeof RECEIVED_STATES)[number];

export const canComeAgain = (state: ReceivedState, isLost: boolean): boolean =>
  (state === "here" && isLost) ||
  state === "expired" ||
  state === "failed" ||
  state === "no_room" ||
  state === "disk_full";

/** Days that received files are kept. */
export const MEDIA_DAYS = { default: 90, most: 3_650 } as const;
