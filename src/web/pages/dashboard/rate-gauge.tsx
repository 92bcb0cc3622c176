import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatNumber, formatShare } from "../../messages/format.ts";
import type { NamedOutcome } from "../../routes/campaigns.ts";
import cardStyles from "../../ui/card.module.css";
import textStyles from "../../ui/text.module.css";
import panelsStyles from "./panels.module.css";
import { withOutcome } from "./targets.ts";

type Props = { gauge: Dashboard["gauge"]; campaign: number | undefined };

export function RateGauge({ gauge, campaign }: Props) {
  const heading = useId();
  const { rate, attempts } = gauge;
  return (
    // A figure above has the same name: the label adds whose rate it is.
    <section
      className={clsx(cardStyles.card, panelsStyles.rateGauge)}
      aria-labelledby={`${heading} ${heading}-of`}
    >
      <div className={cardStyles.cardHead} data-ui="card-head">
        <h2 id={heading} className={cardStyles.cardTitle}>
          {t.gauge}
        </h2>
        <span id={`${heading}-of`} className={textStyles.fact}>
          {campaign ? t.thisCampaign : t.allCampaigns}
        </span>
      </div>
      <div className={panelsStyles.gauge}>
        <svg
          viewBox="0 0 120 120"
          role="img"
          aria-label={rate === null ? t.gaugeNone : t.gaugeSaid(formatShare(rate))}
        >
          <circle className={panelsStyles.track} cx="60" cy="60" r="52" />
          {rate !== null && rate > 0 && (
            <circle
              className={panelsStyles.value}
              cx="60"
              cy="60"
              r="52"
              pathLength="100"
              strokeDasharray={`${rate * 100} 100`}
            />
          )}
        </svg>
        <Link className={panelsStyles.middle} to="/campaigns" search={withOutcome("tentativas", campaign)}>
          <strong>{formatShare(rate)}</strong>{" "}
          <span>{rate === null ? t.notYet : t.of(formatNumber(attempts))}</span>
        </Link>
      </div>
      <dl className={panelsStyles.split}>
        <Part term={t.accepted} count={gauge.delivered} campaign={campaign} outcome="enviadas" />
        <Part
          term={t.confirmed}
          count={gauge.confirmed}
          campaign={campaign}
          outcome="entregues"
          look="within"
        />
        <Part
          term={t.read(formatShare(gauge.readRate))}
          count={gauge.read}
          campaign={campaign}
          outcome="lidas"
          look="within"
        />
        <Part term={t.errors} count={gauge.errors} campaign={campaign} outcome="erros" look="error" />
        <Part
          term={t.uncertain}
          count={gauge.uncertain}
          campaign={campaign}
          outcome="verificar"
          look="doubt"
        />
      </dl>
    </section>
  );
}

type PartProps = {
  term: string;
  count: number;
  campaign: number | undefined;
  outcome: NamedOutcome;
  look?: string;
};

function Part({ term, count, campaign, outcome, look }: PartProps) {
  return (
    <div data-look={look}>
      <dt>{term}</dt>
      <dd>
        <Link className={panelsStyles.countLink} to="/campaigns" search={withOutcome(outcome, campaign)}>
          {formatNumber(count)}
        </Link>
      </dd>
    </div>
  );
}
