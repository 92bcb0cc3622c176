import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatDate, formatNumber, formatShare } from "../../messages/format.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";
import { CampaignBadge } from "../../ui/campaign-badge.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { toPeople, withOutcome } from "./targets.ts";

type Recent = Dashboard["recent"];

export function RecentTable({ recent, zone }: { recent: Recent; zone: string }) {
  const heading = useId();
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="card-head">
        <h2 id={heading} className="card-title">
          {t.recent}
        </h2>
        <TextLink to="/campaigns" className="text-[0.8125rem]">
          {t.seeAll}
        </TextLink>
      </div>
      {recent.length === 0 ? (
        <p className="recent-none">{t.noRecent}</p>
      ) : (
        <table className="table stack recent" aria-labelledby={heading}>
          <thead>
            <tr>
              <th scope="col">{t.name}</th>
              <th scope="col">{t.status}</th>
              <th scope="col" className="r">
                {t.messages}
              </th>
              <th scope="col" className="r">
                {t.rate}
              </th>
              <th scope="col" className="r">
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
          <Link to="/campaigns/new" search={{ rascunho: id }} className="row-link">
            {name}
          </Link>
        ) : (
          <Link
            to="/campaigns"
            search={{ detalhes: id }}
            state={OPENED_FROM_OTHER_SCREEN}
            className="row-link"
          >
            {name}
          </Link>
        )}
      </td>
      <td>
        <CampaignBadge status={status} />
      </td>
      <td className="r">
        {people ? (
          <Link {...people} className="count-link">
            {formatNumber(campaign.messages)}{" "}
            <span className="unit">{t.messagesUnit(campaign.messages ?? 0)}</span>
          </Link>
        ) : (
          formatNumber(campaign.messages)
        )}
      </td>
      <td className="r">
        {campaign.rate === null ? (
          formatShare(null)
        ) : (
          <Link to="/campaigns" search={withOutcome("tentativas", id)} className="count-link">
            {formatShare(campaign.rate)}
          </Link>
        )}
      </td>
      <td className="r">{formatDate(campaign.date, zone)}</td>
    </tr>
  );
}
