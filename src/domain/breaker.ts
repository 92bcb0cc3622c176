/** A campaign with more cold people than this begins with a few: a bad list shows. */
export const CANARY_ABOVE = 100;

/** One person is 5 %; few enough to do no harm. */
export const CANARY_PEOPLE = 20;

/** Phones that are on receive within seconds; those off for longer count as not reached. */
export const CANARY_WAIT_MS = 15 * 60_000;

/** Fewer would trip on chance, more would notice late. */
export const BREAKER_WINDOW = 50;

/** Time-locks this near belong to one habit. */
export const LOCKS_WITHIN_DAYS = 30;

/** Percent still allowed. */
export const BREAKER_LIMITS = {
  /** WhatsApp refuses the messages: it restricts the number next. */
  refused: 10,
  /** Invented or old numbers: the mark of a bought list. */
  absent: 30,
  /** Those who leave block and report next. */
  leaving: 5,
  /** 70 % must be delivered: the others blocked the number, or do not exist. */
  undelivered: 30,
} as const;

export type BreakerFailure = keyof typeof BREAKER_LIMITS;
export const BREAKER_FAILURES = [
  "refused",
  "absent",
  "leaving",
  "undelivered",
] as const satisfies readonly BreakerFailure[];

export const NUMBER_CAUSES = ["number_banned", "number_logged_out", "number_locked_again"] as const;

/** `judged`: outcomes; `handed`: accepted ones; `undelivered`: those without a receipt. */
export type BreakerFigures = Readonly<Record<BreakerFailure | "judged" | "handed", number>>;

export type BreakerVerdict = { failure: BreakerFailure; judged: number; count: number; limit: number };

export function breakerVerdict(figures: BreakerFigures, least: number): BreakerVerdict | null {
  for (const failure of BREAKER_FAILURES) {
    const judged = failure === "undelivered" ? figures.handed : figures.judged;
    const count = figures[failure];
    const limit = BREAKER_LIMITS[failure];
    if (judged >= least && count * 100 > limit * judged) return { failure, judged, count, limit };
  }
  return null;
}

export function breakerFailure(cause: string | null): BreakerFailure | null {
  return BREAKER_FAILURES.find((failure) => cause === `breaker_${failure}`) ?? null;
}

export const REASON_MAX = 300;

export const asksReason = (cause: string | null): boolean =>
  breakerFailure(cause) !== null || NUMBER_CAUSES.some((one) => one === cause);
