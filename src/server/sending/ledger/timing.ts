/** Waiting times of a lane, all in milliseconds; arguments, so that fault runs can scale them down. */
export type LaneTimes = {
  /** Before the second and the third attempt of a message refused with a passing cause. */
  retry: readonly number[];
  /** How long a transport must have been ready before a doubtful message is sent again: receipts may settle it first. */
  doubt: number;
  /** Waits of a lane whose channel is down, the last one repeated. */
  backoff: readonly number[];
  /** The longest an outcome stays unrecorded. */
  flush: number;
  /** How often people given back are looked for. */
  poll: number;
  /** How long a doubt of a gateway is looked for before it is left to a human. */
  reconcile: number;
  /** Between two looks at the doubts of gateways and at receipts that wait for their message. */
  look: number;
  /** Before a gateway is asked what it sent to a person in doubt, and before it is asked again; the last one repeated. */
  search: readonly number[];
  /** How long a receipt waits to be joined with its message, again and again, the last one repeated; and when it is given up. */
  receipts: readonly number[];
  receiptsEnd: number;
  /** Before a person is looked at again who may have asked to leave in an event that is not read yet. */
  unread: number;
  /** How long a person is left aside with whom an open channel stopped: the fault may be theirs, and others must not wait for it. */
  aside: number;
};

export const LANE_TIMES: LaneTimes = {
  retry: [1_000, 2_000],
  doubt: 5_000,
  backoff: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  flush: 250,
  poll: 500,
  reconcile: 15 * 60_000,
  look: 2_000,
  search: [5_000, 15_000, 45_000, 120_000, 300_000],
  receipts: [1_000, 5_000, 30_000, 300_000, 3_600_000],
  receiptsEnd: 24 * 3_600_000,
  unread: 2_000,
  aside: 10_000,
};
