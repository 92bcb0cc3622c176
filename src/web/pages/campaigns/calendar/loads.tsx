import { clsx } from "clsx";
import type { CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import { shortDay } from "../../../lib/calendar-day.ts";
import { calendarText } from "../../../messages/calendar.ts";
import { formatMonth } from "../../../messages/format.ts";
import cardStyles from "../../../ui/card.module.css";
import layoutStyles from "../../../ui/layout.module.css";
import styles from "./calendar.module.css";
import { isOver, messagesOf, type NumberLoad, saidOf } from "./day-load.ts";

const t = calendarText.loads;

export function Loads({ calendar: { month, numbers } }: { calendar: CampaignCalendar }) {
  const ofMonth = numbers
    .map((number) => ({ ...number, days: number.days.filter(({ day }) => day.startsWith(month)) }))
    .filter(({ days }) => days.some((day) => messagesOf(day) > 0));
  return (
    <section className={cardStyles.card} aria-labelledby="loads">
      <div className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle} id="loads">
          {t.title}
        </h2>
        <span className={styles.sub}>{formatMonth(month).split(" ")[0]}</span>
      </div>
      <div className={styles.loads}>
        {ofMonth.length === 0 && <p>{t.none}</p>}
        {ofMonth.map((number) => (
          <Load key={number.connectionId} number={number} />
        ))}
        {ofMonth.length > 0 && (
          <p className={styles.legend} aria-hidden="true">
            <span>{t.past}</span>
            <span className={styles.keyPredicted}>{t.predicted}</span>
            <span className={styles.keyOver}>{t.overKey}</span>
          </p>
        )}
      </div>
    </section>
  );
}

function Load({ number: { name, planned, days } }: { number: NumberLoad }) {
  const top = Math.max(1, ...days.map(messagesOf));
  const over = days.filter(isOver).length;
  return (
    <div className={styles.load}>
      <h3>{name}</h3>
      <span className={styles.sub}>{!planned ? t.noPlan : over === 0 ? t.within : t.over(over)}</span>
      <ol className={styles.strip} aria-label={name}>
        {days.map((each) => {
          const messages = messagesOf(each);
          return (
            <li key={each.day} aria-hidden={messages === 0 || undefined}>
              {messages > 0 && (
                <>
                  <i
                    className={clsx(
                      styles.fill,
                      styles.column,
                      isOver(each) ? styles.over : each.predicted > 0 && styles.predicted,
                    )}
                    style={{ height: `${(messages / top) * 100}%` }}
                    title={`${shortDay(each.day)}: ${saidOf(each)}`}
                  />
                  <span className={layoutStyles.srOnly}>
                    {shortDay(each.day)}: {saidOf(each)}
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
