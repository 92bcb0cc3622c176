import { clsx } from "clsx";
import type { PlanView } from "../../../contract/number-plans.ts";
import { serverNow } from "../../api/server-clock.ts";
import { dayIn, longDay, shortDay } from "../../lib/calendar-day.ts";
import { formatNumber } from "../../messages/format.ts";
import { numberPlanText } from "../../messages/number-plan.ts";
import cardStyles from "../../ui/card.module.css";
import styles from "./number-page.module.css";

const t = numberPlanText.days;
const HEIGHT_REM = 6;

/** New conversations that began, and what each day allows. */
export function DayBars({ view: { days, plan, zone } }: { view: PlanView }) {
  const today = dayIn(zone, new Date(serverNow()));
  const top = Math.max(1, ...days.map(({ cold, budget }) => Math.max(cold ?? 0, budget)));
  const rem = (count: number) => `${(count / top) * HEIGHT_REM}rem`;
  return (
    <section className={cardStyles.card}>
      <div className={cardStyles.cardHead}>
        <div>
          <h2 className={cardStyles.cardTitle}>{t.title}</h2>
          {plan && <p className={styles.sub}>{t.ramp(plan.ramp.from, plan.ramp.to, plan.ramp.days)}</p>}
        </div>
      </div>
      <ol className={styles.days} aria-label={t.title}>
        {days.map(({ day, cold, budget }) => {
          const shown = Math.max(cold ?? 0, budget);
          return (
            <li key={day} className={clsx(day === today && styles.today)}>
              <span className={styles.column} aria-hidden="true">
                {shown > 0 && <b>{formatNumber(cold && cold > budget ? cold : budget || cold)}</b>}
                <i className={styles.limit} style={{ height: rem(Math.max(0, budget - (cold ?? 0))) }} />
                <i className={styles.sent} style={{ height: rem(cold ?? 0) }} />
              </span>
              <span className={styles.dayName} aria-hidden="true">
                {day === today ? t.today : longDay(day).split(",")[0]}
                <br />
                {shortDay(day).split("/")[0]}
              </span>
              <span className={styles.said}>{t.day(longDay(day), cold, budget)}</span>
            </li>
          );
        })}
      </ol>
      <p className={styles.legend} aria-hidden="true">
        <span>{t.sent}</span>
        {plan && <span className={styles.limitKey}>{t.limit}</span>}
      </p>
    </section>
  );
}
