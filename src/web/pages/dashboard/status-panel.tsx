import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import type { DisplayStatus } from "../../../domain/campaign.ts";
import { campaignsText } from "../../messages/campaigns.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatNumber } from "../../messages/format.ts";
import cardStyles from "../../ui/card.module.css";
import progressBarStyles from "../../ui/progress-bar.module.css";
import textStyles from "../../ui/text.module.css";
import panelsStyles from "./panels.module.css";
import { withStatus } from "./targets.ts";

type Bar = { status: DisplayStatus; tone: string; always: boolean };

const BARS: readonly Bar[] = [
  { status: "completed", tone: "read", always: true },
  { status: "partially_completed", tone: "doubt", always: false },
  { status: "sending", tone: "", always: true },
  { status: "paused", tone: "doubt", always: false },
  { status: "scheduled", tone: "info", always: true },
  { status: "draft", tone: "quiet", always: true },
  { status: "failed", tone: "error", always: false },
  { status: "cancelled", tone: "quiet", always: false },
];

type Props = { statuses: Dashboard["statuses"]; campaign: number | undefined };

export function StatusPanel({ statuses, campaign }: Props) {
  const heading = useId();
  const { total, byStatus } = statuses;
  return (
    <section className={cardStyles.card} aria-labelledby={heading}>
      <div className={cardStyles.cardHead} data-ui="card-head">
        <h2 id={heading} className={cardStyles.cardTitle}>
          {t.statuses}
        </h2>
        <Link
          className={clsx(textStyles.fact, panelsStyles.countLink)}
          to="/campaigns"
          search={campaign ? { campanha: campaign } : {}}
          aria-label={t.allStatuses(formatNumber(total))}
        >
          {formatNumber(total)}
        </Link>
      </div>
      <ul className={panelsStyles.statusList}>
        {BARS.filter(({ status, always }) => always || byStatus[status] > 0).map(({ status, tone }) => (
          <li key={status}>
            <Link to="/campaigns" search={withStatus(status, campaign)}>
              <span>{campaignsText.status[status]}</span> <strong>{formatNumber(byStatus[status])}</strong>
              <span className={progressBarStyles.bar} data-ui="bar" aria-hidden="true">
                <i
                  data-tone={tone}
                  style={{ width: `${total === 0 ? 0 : (byStatus[status] / total) * 100}%` }}
                />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
