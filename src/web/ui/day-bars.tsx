import { clsx } from "clsx";
import { longDay, shortDay } from "../lib/calendar-day.ts";
import { dayBarsText as t } from "../messages/day-bars.ts";
import { formatNumber } from "../messages/format.ts";
import styles from "./day-bars.module.css";
import layoutStyles from "./layout.module.css";

/** `filled` is done or planned; `limit` what the day allows, 0 on a closed one. */
export type DayBar = { day: string; filled: number; limit: number; said: string };

type Props = {
  label: string;
  bars: readonly DayBar[];
  today: string;
  /** Which ten days a telephone shows. */
  keep: "first" | "last";
  keys: { filled: string; limit: string | null };
};

const HEIGHT_REM = 6;

/** A small bar a day, without figures. */
export function DayStrip({ label, bars }: { label: string; bars: readonly Omit<DayBar, "limit">[] }) {
  const top = Math.max(1, ...bars.map(({ filled }) => filled));
  return (
    <ol className={styles.strip} aria-label={label}>
      {bars.map(({ day, filled, said }) => (
        <li key={day} title={said}>
          <i className={styles.sent} style={{ height: `${(filled / top) * 100}%` }} aria-hidden="true" />
          <span className={layoutStyles.srOnly}>{said}</span>
        </li>
      ))}
    </ol>
  );
}

export function DayBars({ label, bars, today, keep, keys }: Props) {
  const top = Math.max(1, ...bars.map(({ filled, limit }) => Math.max(filled, limit)));
  const rem = (count: number) => `${(count / top) * HEIGHT_REM}rem`;
  return (
    <>
      <ol className={styles.days} data-keep={keep} aria-label={label}>
        {bars.map(({ day, filled, limit, said }) => {
          const shown = filled > limit ? filled : limit || filled;
          return (
            <li key={day} className={clsx(day === today && styles.today)}>
              <span className={styles.column} aria-hidden="true">
                {shown > 0 && <b>{formatNumber(shown)}</b>}
                {limit > filled && <i className={styles.limit} style={{ height: rem(limit - filled) }} />}
                <i className={styles.sent} style={{ height: rem(filled) }} />
              </span>
              <span aria-hidden="true">
                {day === today ? t.today : longDay(day).split(",")[0]}
                <br />
                {shortDay(day).split("/")[0]}
              </span>
              <span className={layoutStyles.srOnly}>{said}</span>
            </li>
          );
        })}
      </ol>
      <p className={styles.legend} aria-hidden="true">
        <span>{keys.filled}</span>
        {keys.limit && <span className={styles.limitKey}>{keys.limit}</span>}
      </p>
    </>
  );
}
