import type { PlanView } from "../../../contract/number-plans.ts";
import { serverNow } from "../../api/server-clock.ts";
import { dayIn, longDay } from "../../lib/calendar-day.ts";
import { numberPlanText } from "../../messages/number-plan.ts";
import cardStyles from "../../ui/card.module.css";
import { DayBars } from "../../ui/day-bars.tsx";
import styles from "./number-page.module.css";

const t = numberPlanText.days;

/** New conversations that began, and what each day allows. */
export function ColdDays({ view: { days, plan, zone } }: { view: PlanView }) {
  return (
    <section className={cardStyles.card}>
      <div className={cardStyles.cardHead}>
        <div>
          <h2 className={cardStyles.cardTitle}>{t.title}</h2>
          {plan && <p className={styles.sub}>{t.ramp(plan.ramp.from, plan.ramp.to, plan.ramp.days)}</p>}
        </div>
      </div>
      <div className={styles.inside}>
        <DayBars
          label={t.title}
          today={dayIn(zone, new Date(serverNow()))}
          keep="last"
          keys={{ filled: t.sent, limit: plan && t.limit }}
          bars={days.map(({ day, cold, budget }) => ({
            day,
            filled: cold ?? 0,
            limit: budget,
            said: t.day(longDay(day), cold, budget),
          }))}
        />
      </div>
    </section>
  );
}
