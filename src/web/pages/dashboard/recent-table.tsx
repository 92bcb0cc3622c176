import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatDate, formatNumber, formatShare } from "../../messages/format.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";
import { CampaignBadge } from "../../ui/campaign-badge.tsx";
import cardStyles from "../../ui/card.module.css";
import tableStyles from "../../ui/table.module.css";
import textStyles from "../../ui/text.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import styles from "./panels.module.css";
import { toPeople, withOutcome } from "./targets.ts";

type Recent = Dashboard["recent"];

export function RecentTable({ recent, zone }: { recent: Recent; zone: string }) {
  const heading = useId();
  return (
    <section className={cardStyles.card} aria-labelledby={heading}>
      <div className={cardStyles.cardHead} data-ui="card-head">
        <h2 id={heading} className={cardStyles.cardTitle}>
          {t.recent}
        </h2>
        <TextLink to="/campaigns" className={textStyles.small}>
          {t.seeAll}
        </TextLink>
      </div>
      {recent.length === 0 ? (
        <p className={styles.recentNone}>{t.noRecent}</p>
      ) : (
        <table
          className={clsx(tableStyles.table, tableStyles.stack, styles.recent)}
          data-ui="table"
          aria-labelledby={heading}
        >
          <thead>
            <tr>
              <th scope="col">{t.name}</th>
              <th scope="col">{t.status}</th>
              <th scope="col" className={tableStyles.r}>
                {t.messages}
              </th>
              <th scope="col" className={tableStyles.r}>
                {t.rate}
              </th>
              <th scope="col" className={tableStyles.r}>
                {t.date}
              </th>
            </tr>
          </thead>
          <tbody>
            {recent.map((campaign) => (
              <Row key={campaign.id} campaign={campaign} zone={zone} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ campaign, zone }: { campaign: Recent[number]; zone: string }) {
  const { id, name, status } = campaign;
  const people = toPeople(campaign);
  return (
    <tr>
      <td>
        {status === "draft" ? (
          <Link to="/campaigns/new" search={{ rascunho: id }} className={styles.rowLink}>
            {name}
          </Link>
        ) : (
          <Link
            to="/campaigns"
            search={{ detalhes: id }}
            state={OPENED_FROM_OTHER_SCREEN}
            className={styles.rowLink}
          >
            {name}
          </Link>
        )}
      </td>
      <td>
        <CampaignBadge status={status} />
      </td>
      <td className={tableStyles.r}>
        {people ? (
          <Link {...people} className={styles.countLink}>
            {formatNumber(campaign.messages)}{" "}
            <span className={styles.unit}>{t.messagesUnit(campaign.messages ?? 0)}</span>
          </Link>
        ) : (
          formatNumber(campaign.messages)
        )}
      </td>
      <td className={tableStyles.r}>
        {campaign.rate === null ? (
          formatShare(null)
        ) : (
          <Link to="/campaigns" search={withOutcome("tentativas", id)} className={styles.countLink}>
            {formatShare(campaign.rate)}
          </Link>
        )}
      </td>
      <td className={tableStyles.r}>{formatDate(campaign.date, zone)}</td>
    </tr>
  );
}
