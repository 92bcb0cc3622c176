import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Pause, TriangleAlert } from "lucide-react";
import type { CalendarCampaign } from "../../../../contract/campaign-calendar.ts";
import { shortDay } from "../../../lib/calendar-day.ts";
import { calendarText as t } from "../../../messages/calendar.ts";
import { campaignsText } from "../../../messages/campaigns.ts";
import { formatNumber } from "../../../messages/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import layoutStyles from "../../../ui/layout.module.css";
import styles from "./calendar.module.css";

type Props = {
  campaign: CalendarCampaign;
  clashes: boolean;
  figure: boolean;
  cut?: { before: boolean; after: boolean };
};

export function CampaignBar({ campaign, clashes, figure, cut }: Props) {
  const { id, name, people } = campaign;
  const said = saidOf(campaign, clashes);
  return (
    <Link
      to="/campaigns"
      search={{ campanha: id }}
      className={clsx(
        styles.bar,
        lookOf(campaign),
        clashes && styles.clash,
        cut?.before && styles.before,
        cut?.after && styles.after,
      )}
      title={said}
    >
      {clashes ? <Icon of={TriangleAlert} /> : campaign.status === "paused" && <Icon of={Pause} />}
      <span aria-hidden="true">{name}</span>
      {figure && people !== null && (
        <b data-ui="num" aria-hidden="true">
          {formatNumber(people)}
        </b>
      )}
      <i className={layoutStyles.srOnly}>{said}</i>
    </Link>
  );
}

function lookOf({ status }: CalendarCampaign): string | undefined {
  if (status === "sending") return styles.sending;
  if (status === "scheduled") return styles.scheduled;
  return status === "paused" ? styles.paused : undefined;
}

function saidOf({ name, status, first, last, people }: CalendarCampaign, clashes: boolean): string {
  const when = last === null ? t.since(shortDay(first)) : t.fromTo(shortDay(first), shortDay(last));
  const parts = [name, campaignsText.status[status], when, people === null ? null : t.people(people)];
  return [...parts, clashes ? t.clash : null].filter((part) => part !== null).join(", ");
}
