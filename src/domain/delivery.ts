/**
 * A person's place in a campaign, in the order of what is known: receipts and late truth only move a row up to `sent` or beyond;
 * every other change names the state it comes from. `accepted`: a gateway took the message and WhatsApp has not confirmed it.
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

/** What a receipt proves of the message that it tells of. */
export const PROVED_BY = {
  accepted: DELIVERY.sent,
  delivered: DELIVERY.delivered,
  read: DELIVERY.read,
} as const;

export const DELIVERY_STATES = Object.keys(DELIVERY) as readonly DeliveryState[];

/** Name of a stored state code (0–9); throws a RangeError for anything else, since a row without a known state must never be shown. */
export function deliveryState(code: number): DeliveryState {
  const state = DELIVERY_STATES[code];
  if (!state) throw new RangeError(`unknown delivery state ${code}`);
  return state;
}

/** People of a campaign in each state; their sum is the campaign's total. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;
