import { deliveryRate } from "../../domain/campaign.ts";
import { daysUntil } from "../../domain/schedule.ts";
import type { Day, Totals } from "./repo.ts";

/** Length of the two windows that a card compares, in days; the later one ends today. */
export const WINDOW_DAYS = 30;

export type Sums = Omit<Day, "day">;

const NOTHING: Sums = { accepted: 0, failed: 0, uncertain: 0, confirmed: 0, gapS: 0, gaps: 0 };

function sumOf(days: readonly Day[]): Sums {
  return days.reduce(
    (sum, day) => ({
      accepted: sum.accepted + day.accepted,
      failed: sum.failed + day.failed,
      uncertain: sum.uncertain + day.uncertain,
      confirmed: sum.confirmed + day.confirmed,
      gapS: sum.gapS + day.gapS,
      gaps: sum.gaps + day.gaps,
    }),
    NOTHING,
  );
}

/** The last 30 days up to `today` (`2026-11-19`), the 30 before, and all days. */
export function windows(days: readonly Day[], today: string): { last: Sums; before: Sums; all: Sums } {
  const span = daysUntil(today, 2 * WINDOW_DAYS);
  const [start = today, middle = today] = [span[0], span[WINDOW_DAYS]];
  return {
    last: sumOf(days.filter(({ day }) => day >= middle && day <= today)),
    before: sumOf(days.filter(({ day }) => day >= start && day < middle)),
    all: sumOf(days),
  };
}

/** Everything with an outcome, as the spec counts sent messages. */
export const attemptsOf = ({ accepted, failed, uncertain }: Sums) => accepted + failed + uncertain;

/** Share of the attempts that went out, null without any. */
export const rateOf = ({ accepted, failed, uncertain }: Sums) =>
  deliveryRate({ sent: accepted, errors: failed, uncertain });

/** Mean minutes between two messages of one campaign on one day, so that nights and quiet weeks do not count; null without two. */
export const intervalOf = ({ gapS, gaps }: Sums) => (gaps === 0 ? null : gapS / gaps / 60);

/**
 * How much more `now` is than `before`, as a share of it; null where there is nothing to compare with. Doubts of earlier days that were taken
 * back may leave less than nothing: that is nothing.
 */
export function growth(now: number | null, before: number | null): number | null {
  return now === null || before === null || before <= 0 ? null : Math.max(0, now) / before - 1;
}

/** Difference of two shares; null unless both are known. */
export function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

/** The `count` days up to `today`, a zero where nothing was sent. */
export function chart(days: readonly Day[], today: string, count: number) {
  const known = new Map(days.map((day) => [day.day, day]));
  return daysUntil(today, count).map((day) => {
    const sums = known.get(day) ?? NOTHING;
    return { day, sent: attemptsOf(sums), delivered: sums.accepted, confirmed: sums.confirmed };
  });
}

/** The gauge: of all attempts, those that went out, and what stands against them. */
export function gauge({ accepted, confirmed, read, errors, uncertain }: Totals) {
  const attempts = accepted + errors + uncertain;
  return {
    rate: deliveryRate({ sent: accepted, errors, uncertain }),
    confirmedRate: attempts === 0 ? null : confirmed / attempts,
    readRate: attempts === 0 ? null : read / attempts,
    attempts,
    delivered: accepted,
    confirmed,
    read,
    errors,
    uncertain,
  };
}
