import type { Campaign } from "../../contract/campaigns.ts";
import { causesText as t } from "../messages/campaign-causes.ts";
import { formatAt, formatDateTime, formatSentence } from "../messages/format.ts";

export function causeWords(campaign: Campaign, zone: string) {
  const { cause, connectionCause, causeSince, causeUntil } = campaign;
  if (cause === "missed") {
    const at = campaign.scheduledAt ?? campaign.date;
    return t.missed(formatSentence(at, campaign.schedule.kind === "at" ? campaign.schedule.zone : zone));
  }
  const about = {
    name: campaign.connectionName ?? t.anyConnection,
    since: causeSince ? formatAt(causeSince, zone) : "",
    until: causeUntil ? formatDateTime(causeUntil, zone) : null,
    accepted: campaign.counts.accepted,
    breaker: campaign.breaker,
  };
  const words =
    cause === "connection"
      ? (t.down[connectionCause ?? "network"] ?? t.down.unknown)
      : (t.stopped[cause ?? "user"] ?? t.stopped.unknown);
  return words?.(about) ?? { fact: "", next: "" };
}
