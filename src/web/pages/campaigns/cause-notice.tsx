import { TriangleAlert } from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { useMe } from "../../api/me.ts";
import { causeWords } from "../../lib/cause-words.ts";
import { causesText as t } from "../../messages/campaign-causes.ts";
import { formatNumber } from "../../messages/format.ts";
import { Icon } from "../../ui/icon.tsx";
import noticeStyles from "../../ui/notice.module.css";
import { causeIcon } from "./cause-icon.ts";
import { FailedPeopleLink } from "./details-links.tsx";

export function CauseNotice({ campaign }: { campaign: Campaign }) {
  const { timeZone } = useMe();
  const { fact, next } = causeWords(campaign, timeZone);
  const { remaining } = campaign.counts;
  const left = remaining === 1 ? t.leftOne : t.left(formatNumber(remaining));
  return (
    <div className={noticeStyles.notice} data-ui="notice" data-tone="warning">
      <Icon of={causeIcon(campaign)} />
      <p>
        <strong>{fact}</strong> {next} {campaign.started && remaining > 0 && left}{" "}
        {campaign.breaker && <FailedPeopleLink id={campaign.id} failure={campaign.breaker.failure} />}
      </p>
    </div>
  );
}

const SAID: readonly (string | null)[] = ["connection_removed", "list_empty", "audience_gone"];

/** Deleted list or connection of a campaign not started yet. A resend and an audience need no list. */
export function goneFacts(campaign: Campaign): string[] {
  const { status, started, cause, resendsId, connectionId, connectionName } = campaign;
  const { listId, listName, audience } = campaign;
  const begins = status === "scheduled" || (status === "paused" && !started && !SAID.includes(cause));
  if (!begins || resendsId !== null) return [];
  return [
    ...(connectionId === null && connectionName !== null ? [t.gone.connection(connectionName)] : []),
    ...(audience === null && listId === null && listName !== null ? [t.gone.list(listName)] : []),
  ];
}

/** Warns before a scheduled campaign fails; also shows one that waits for confirmation. */
export function GoneNotice({ campaign }: { campaign: Campaign }) {
  const facts = goneFacts(campaign);
  if (facts.length === 0) return null;
  return (
    <div className={noticeStyles.notice} data-ui="notice" data-tone="warning">
      <Icon of={TriangleAlert} />
      <p>
        <strong>{facts.join(" ")}</strong> {campaign.status === "paused" ? t.gone.missed : t.gone.next}
      </p>
    </div>
  );
}
