import { CHECK_MS } from "../../../domain/number-checks.ts";

/** Milliseconds; parameters, so that fault tests can scale them. */
export type LaneTimes = {
  retry: readonly number[];
  /** Minimum ready time before a doubtful resend: receipts may settle it first. */
  doubt: number;
  backoff: readonly number[];
  flush: number;
  poll: number;
  /** How long a gateway's doubt is searched for before a human decides. */
  reconcile: number;
  look: number;
  /** Fallback look of a lane without notification: a lost one only delays. */
  lookAgain: number;
  /** Delays between searches at a gateway for a doubtful message; the last one repeats. */
  search: readonly number[];
  /** Delays between attempts to match a receipt, the last one repeated, and when it is dropped. */
  receipts: readonly number[];
  receiptsEnd: number;
  unread: number;
  /**
   * How long a person is set aside after an open channel stopped at them: the error may be theirs, and others
   * must not wait.
   */
  aside: number;
  /** Between two numbers that are checked; after one that could not be. */
  check: number;
  checkAgain: number;
};

export const LANE_TIMES: LaneTimes = {
  retry: [1_000, 2_000],
  doubt: 5_000,
  backoff: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  flush: 250,
  poll: 500,
  reconcile: 15 * 60_000,
  look: 2_000,
  lookAgain: 5_000,
  search: [5_000, 15_000, 45_000, 120_000, 300_000],
  receipts: [1_000, 5_000, 30_000, 300_000, 3_600_000],
  receiptsEnd: 24 * 3_600_000,
  unread: 2_000,
  aside: 10_000,
  check: CHECK_MS,
  checkAgain: 60_000,
};
