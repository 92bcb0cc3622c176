import { deliveryRate } from "../../domain/campaign.ts";
import { daysUntil } from "../../domain/schedule.ts";
import type { Day, Totals } from "../sending/sending.ts";

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

export function windows(days: readonly Day[], today: string): { last: Sums; before: Sums; all: Sums } {
  const span = daysUntil(today, 2 * WINDOW_DAYS);
  const [start = today, middle = today] = [span[0], span[WINDOW_DAYS]];
  return {
    last: sumOf(days.filter(({ day }) => day >= middle && day <= today)),
    before: sumOf(days.filter(({ day }) => day >= start && day < middle)),
    all: sumOf(days),
  };
}

export const attemptsOf = ({ accepted, failed, uncertain }: Sums) => accepted + failed + uncertain;

export const rateOf = ({ accepted, failed, uncertain }: Sums) =>
  deliveryRate({ sent: accepted, errors: failed, uncertain });

/** Mean minutes between messages of one campaign within a day, without nights; null without two. */
export const intervalOf = ({ gapS, gaps }: Sums) => (gaps === 0 ? null : gapS / gaps / 60);

/** Null without a base. Corrections of earlier doubts can make sums negative; they count as zero. */
export function growth(now: number | null, before: number | null): number | null {
  return now === null || before === null || before <= 0 ? null : Math.max(0, now) / before - 1;
}

export function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

export function chart(days: readonly Day[], today: string, count: number) {
  const known = new Map(days.map((day) => [day.day, day]));
  return daysUntil(today, count).map((day) => {
    const sums = known.get(day) ?? NOTHING;
    return { day, sent: attemptsOf(sums), delivered: sums.accepted, confirmed: sums.confirmed };
  });
}

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
