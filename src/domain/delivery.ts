/**
 * Ordered by certainty: receipts and late results only move up to `sent` or beyond. `accepted`: taken by a
 * gateway, unconfirmed by WhatsApp.
 */
export const DELIVERY = {
  pending: 0,
  sending: 1,
  waiting: 2,
  skipped: 3,
  uncertain: 4,
  error: 5,
  accepted: 6,
  sent: 7,
  delivered: 8,
  read: 9,
} as const;

export type DeliveryState = keyof typeof DELIVERY;
export type DeliveryCode = (typeof DELIVERY)[DeliveryState];

export const PROVED_BY = {
  accepted: DELIVERY.sent,
  delivered: DELIVERY.delivered,
  read: DELIVERY.read,
} as const;

export const DELIVERY_STATES = Object.keys(DELIVERY) as readonly DeliveryState[];

/** Throws a RangeError for unknown codes: no row may appear without a state. */
export function deliveryState(code: number): DeliveryState {
  const state = DELIVERY_STATES[code];
  if (!state) throw new RangeError(`unknown delivery state ${code}`);
  return state;
}

/** WhatsApp confirms within seconds, and lost webhooks are refetched within three minutes: later a person decides. */
export const CONFIRMED_WITHIN_MS = 15 * 60_000;

/** No confirmation of a message accepted at `at` is expected any more: a person may settle it. */
export const isOverdue = (at: Date | null, now: Date): boolean =>
  at !== null && now.getTime() - at.getTime() >= CONFIRMED_WITHIN_MS;

/** The sum is the campaign's total. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
