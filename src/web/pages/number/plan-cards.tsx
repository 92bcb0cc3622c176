import { clsx } from "clsx";
import type { PlanView } from "../../../contract/number-plans.ts";
import type { NumberPlan, Range } from "../../../domain/number-plan.ts";
import { formatNumber, typedDecimal, zoneName } from "../../messages/format.ts";
import { numberPlanText } from "../../messages/number-plan.ts";
import cardStyles from "../../ui/card.module.css";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import styles from "./number-page.module.css";
import { clockOf } from "./plan-form.ts";

const CELLS = Array.from({ length: 24 }, (_, hour) => hour);

export function HoursCard({ plan, zone }: { plan: NumberPlan; zone: string }) {
  const t = numberPlanText.hours;
  const minutes = plan.hours.reduce((sum, open) => sum + (open ? open.to - open.from : 0), 0);
  return (
    <section className={cardStyles.card}>
      <div className={cardStyles.cardHead}>
        <div>
          <h2 className={cardStyles.cardTitle}>{t.title}</h2>
          <p className={styles.sub}>
            {zoneName(zone)}. {plan.restsOnHolidays ? t.holidaysOff : t.holidaysOn}
          </p>
        </div>
        <span className={styles.sub}>{t.perWeek(typedDecimal(minutes / 60))}</span>
      </div>
      <ul className={styles.hours}>
        {plan.hours.map((open, day) => (
          <li key={t.short[day]}>
            <span>{t.short[day]}</span>
            <span className={styles.cells} aria-hidden="true">
              {CELLS.map((hour) => (
                <i
                  key={hour}
                  className={clsx(open && open.from < (hour + 1) * 60 && open.to > hour * 60 && styles.on)}
                />
              ))}
            </span>
            <span className={styles.times}>
              {open ? t.from(clockOf(open.from), clockOf(open.to)) : t.closed}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const between = ({ least, most }: Range) =>
  least === most ? formatNumber(least) : `${formatNumber(least)}–${formatNumber(most)}`;

export function PaceCard({ plan: { coldGapS, warmGapS, rest } }: { plan: NumberPlan }) {
  const t = numberPlanText.pace;
  return (
    <section className={cardStyles.card}>
      <div className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.title}</h2>
        <span className={styles.sub}>{t.estimate}</span>
      </div>
      <dl className={styles.pace}>
        <Gap {...t.cold} value={between(coldGapS)} unit={t.seconds} />
        <Gap {...t.warm} value={between(warmGapS)} unit={t.seconds} />
        <Gap
          label={t.rest.label}
          why={rest ? t.rest.why(rest.after) : ""}
          value={rest ? between(rest.minutes) : t.noRest}
          unit={rest ? t.minutes : ""}
        />
      </dl>
      <p className={clsx(styles.sub, styles.inside)}>{t.source}</p>
    </section>
  );
}

function Gap({ label, why, value, unit }: { label: string; why: string; value: string; unit: string }) {
  return (
    <div>
      <dt>
        <b>{label}</b>
        <span className={styles.sub}>{why}</span>
      </dt>
      <dd>
        {value} <small>{unit}</small>
      </dd>
    </div>
  );
}

export function UsesCard({ view: { uses, coldToday, budget } }: { view: PlanView }) {
  const t = numberPlanText.uses;
  const all = coldToday + (budget ?? 0);
  const share = (count: number) => (all === 0 ? 0 : count / all);
  return (
    <section className={cardStyles.card}>
      <div className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.title}</h2>
      </div>
      {uses.length === 0 && <p className={clsx(styles.sub, styles.inside)}>{t.nothing}</p>}
      {all > 0 && (
        <ul className={styles.uses}>
          {uses.map(({ campaignId, name, cold }) => (
            <li key={campaignId ?? "single"}>
              <span>{name ?? t.single}</span>
              <b>{formatNumber(cold)}</b>
              <ProgressBar
                label={name ?? t.single}
                parts={[{ share: share(cold) }]}
                text={formatNumber(cold)}
              />
            </li>
          ))}
          {budget !== null && (
            <li>
              <span>{t.free}</span>
              <b>{formatNumber(budget)}</b>
              <ProgressBar
                label={t.free}
                parts={[{ share: share(budget), tone: "quiet" }]}
                text={formatNumber(budget)}
              />
            </li>
          )}
        </ul>
      )}
    </section>
  );
}
