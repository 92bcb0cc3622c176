import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { formatNumber, formatShare } from "../../format.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";

/** The share of attempts that WhatsApp took, and what became of the others. */
export function RateGauge({ gauge, chosen }: { gauge: Dashboard["gauge"]; chosen: boolean }) {
  const heading = useId();
  const { rate, attempts } = gauge;
  return (
    // One of the figures above has the same name: whose rate this is tells them apart.
    <section className="card" aria-labelledby={`${heading} ${heading}-of`}>
      <div className="card-head">
        <h2 id={heading} className="card-title">
          {t.gauge}
        </h2>
        <span id={`${heading}-of`} className="dash-aside">
          {chosen ? t.thisCampaign : t.allCampaigns}
        </span>
      </div>
      <div
        className="gauge"
        role="img"
        aria-label={rate === null ? t.gaugeNone : t.gaugeSaid(formatShare(rate))}
      >
        <svg viewBox="0 0 120 120" aria-hidden="true">
          <circle className="track" cx="60" cy="60" r="52" />
          {rate !== null && rate > 0 && (
            <circle
              className="value"
              cx="60"
              cy="60"
              r="52"
              pathLength="100"
              strokeDasharray={`${rate * 100} 100`}
            />
          )}
        </svg>
        <div className="middle" aria-hidden="true">
          <b>{formatShare(rate)}</b>
          <span>{rate === null ? t.notYet : t.of(formatNumber(attempts))}</span>
        </div>
      </div>
      <dl className="split">
        <div>
          <dt>{t.delivered}</dt>
          <dd>{formatNumber(gauge.delivered)}</dd>
        </div>
        <div className="within">
          <dt>{t.confirmed}</dt>
          <dd>{formatNumber(gauge.confirmed)}</dd>
        </div>
        <div className="error">
          <dt>{t.errors}</dt>
          <dd>{formatNumber(gauge.errors)}</dd>
        </div>
        <div className="doubt">
          <dt>{t.uncertain}</dt>
          <dd>{formatNumber(gauge.uncertain)}</dd>
        </div>
      </dl>
    </section>
  );
}
