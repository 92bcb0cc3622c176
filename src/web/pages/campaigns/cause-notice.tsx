import { CalendarX2, Pause, WifiOff } from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { useMe } from "../../api/me.ts";
import { Icon, type LucideIcon } from "../../components/icon.tsx";
import { formatAt, formatDateTime, formatNumber, formatSentence } from "../../format.ts";
import { causesText as t } from "../../messages/campaign-causes.ts";

/** Why a campaign stands still: the fact first, then what happens next. */
export function CauseNotice({ campaign }: { campaign: Campaign }) {
  const { timeZone } = useMe();
  const { fact, next } = told(campaign, timeZone);
  const { remaining } = campaign.counts;
  const left = remaining === 1 ? t.leftOne : t.left(formatNumber(remaining));
  return (
    <div className="notice warning">
      <Icon of={iconOf(campaign)} />
      <p>
        <strong>{fact}</strong> {next} {campaign.started && remaining > 0 && left}
      </p>
    </div>
  );
}

function told(campaign: Campaign, zone: string) {
  const { cause, connectionCause, causeSince, causeUntil } = campaign;
  if (cause === "missed") {
    const at = campaign.scheduledAt ?? campaign.date;
    return t.missed(formatSentence(at, campaign.schedule.kind === "at" ? campaign.schedule.zone : zone));
  }
  const about = {
    name: campaign.connectionName ?? t.anyConnection,
    since: causeSince ? formatAt(causeSince, zone) : "",
    until: causeUntil ? formatDateTime(causeUntil, zone) : null,
  };
  const words =
    cause === "connection"
      ? (t.down[connectionCause ?? "network"] ?? t.down.unknown)
      : (t.stopped[cause ?? "user"] ?? t.stopped.unknown);
  return words?.(about) ?? { fact: "", next: "" };
}

function iconOf({ cause }: Campaign): LucideIcon {
  if (cause === "missed") return CalendarX2;
  return cause === "user" ? Pause : WifiOff;
}
