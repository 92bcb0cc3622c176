import { clsx } from "clsx";
import {
  CalendarClock,
  Clock,
  ClockAlert,
  FileText,
  Image,
  Paperclip,
  RefreshCcwDot,
  Smartphone,
} from "lucide-react";
import { useId } from "react";
import type { Campaign, ListedCampaign, OutcomeSums } from "../../../contract/campaigns.ts";
import { withLeaveHint } from "../../../domain/leave-hint.ts";
import { useMe } from "../../api/me.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatDateTime, formatNumber, zoneName } from "../../messages/format.ts";
import { localeText } from "../../messages/locale.ts";
import { CampaignBadge } from "../../ui/campaign-badge.tsx";
import cardStyles from "../../ui/card.module.css";
import countsStyles from "../../ui/counts.module.css";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import { useFocusOnUnmount } from "../../ui/use-focus-on-unmount.ts";
import { WhatsappExcerpt } from "../../ui/whatsapp-text.tsx";
import { CampaignActions } from "./campaign-actions.tsx";
import { CampaignProgress } from "./campaign-progress.tsx";
import styles from "./campaigns.module.css";
import { CauseNotice, GoneNotice } from "./cause-notice.tsx";
import { FailureLines } from "./failure-lines.tsx";

const LARGE = 100_000;

export function CampaignCard({ campaign }: { campaign: ListedCampaign }) {
  const heading = useId();
  const card = useFocusOnUnmount();
  return (
    <li>
      <article
        ref={card}
        className={clsx(cardStyles.card, cardStyles.tile, styles.camp, styles.tall)}
        aria-labelledby={heading}
      >
        <div className={styles.campTop}>
          <h2 id={heading}>{campaign.name}</h2>
          <CampaignBadge status={campaign.status} />
        </div>
        {campaign.text.trim() ? (
          <p className={clsx(textStyles.lines, styles.campText)}>
            <WhatsappExcerpt text={withLeaveHint(campaign.text, campaign.leaveHint)} />
          </p>
        ) : (
          <p className={clsx(textStyles.lines, styles.campText, styles.none)}>{t.noText}</p>
        )}
        <Metadata campaign={campaign} />
        {campaign.status === "sending" && <CampaignProgress campaign={campaign} />}
        {campaign.status === "paused" && <CauseNotice campaign={campaign} />}
        <GoneNotice campaign={campaign} />
        {campaign.started && <Counts campaign={campaign} />}
        {campaign.started && <Adds campaign={campaign} />}
        {campaign.inPeriod && (
          <p className={clsx(textStyles.fact, styles.campPeriod)}>{inPeriod(campaign.inPeriod)}</p>
        )}
        {campaign.failureLines.length > 0 && <FailureLines campaign={campaign} />}
        <CampaignActions campaign={campaign} />
      </article>
    </li>
  );
}

/** Sent messages are split by outcome, because «Enviados» excludes errors. */
function inPeriod({ attempts, accepted, confirmed, read, errors, uncertain }: OutcomeSums): string {
  const sent = [
    t.periodSent(accepted),
    errors !== 0 && t.periodErrors(errors),
    uncertain !== 0 && t.uncertain(formatNumber(uncertain)),
  ];
  const parts = [
    `${t.periodAttempts(attempts)} (${sent.filter(Boolean).join(", ")})`,
    confirmed !== 0 && t.periodDelivered(confirmed),
    read !== 0 && t.periodRead(read),
  ];
  return t.inPeriod(parts.filter(Boolean).join(" · "));
}

function signOf(file: Campaign["attachment"]): LucideIcon {
  if (file === null) return FileText;
  return file.kind === "image" ? Image : Paperclip;
}

function filesText({ attachment, moreAttachments }: Campaign): string {
  const [file, ...others] = attachment ? [attachment, ...moreAttachments] : moreAttachments;
  if (!file) return t.textOnly;
  return others.length > 0 ? t.withFiles(others.length + 1) : t.withFile[file.kind];
}

function Metadata({ campaign }: { campaign: Campaign }) {
  const me = useMe();
  const { status } = campaign;
  return (
    <div className={clsx(textStyles.fact, styles.meta)}>
      <span>
        <Icon of={status === "scheduled" ? CalendarClock : Clock} />
        {dateOf(campaign, me.timeZone)}
      </span>
      <span>
        <Icon of={signOf(campaign.attachment ?? campaign.moreAttachments[0] ?? null)} />
        {filesText(campaign)}
      </span>
      <span>
        <Icon of={Smartphone} />
        {campaign.connectionName ?? t.defaultConnection}
      </span>
      {campaign.late && (
        <span>
          <Icon of={ClockAlert} />
          {t.late}
        </span>
      )}
      {campaign.resendsId !== null && (
        <span>
          <Icon of={RefreshCcwDot} />
          {t.resend}
        </span>
      )}
    </div>
  );
}

/** A scheduled time is in its own zone, named; others in the account's. */
function dateOf(campaign: Campaign, accountZone: string): string {
  if (campaign.status === "draft") return t.savedAt(formatDateTime(campaign.updatedAt, accountZone));
  if (campaign.actions.includes("undo")) return t.startsSoon;
  if (campaign.started || !campaign.scheduledAt) return formatDateTime(campaign.date, accountZone);
  const zone = campaign.schedule.kind === "at" ? campaign.schedule.zone : accountZone;
  const name = zoneName(zone);
  return t.scheduledFor(formatDateTime(campaign.scheduledAt, zone), localeText.zoneInSentence(name));
}

function Adds({ campaign }: { campaign: Campaign }) {
  const { counts } = campaign;
  if (counts.total === counts.sent + counts.errors) return null;
  const parts = (["sent", "errors", "skipped", "uncertain", "accepted", "remaining"] as const)
    .filter((part) => counts[part] > 0)
    .map((part) => t.parts[part](counts[part]));
  return (
    <p className={clsx(textStyles.fine, textStyles.num, layoutStyles.top2)}>
      {t.adds(formatNumber(counts.total), parts.join(" + "))}
    </p>
  );
}

function Counts({ campaign }: { campaign: Campaign }) {
  const { counts } = campaign;
  return (
    <dl className={clsx(countsStyles.counts, styles.campCounts, counts.total >= LARGE && styles.large)}>
      <div>
        <dt>{t.total}</dt>
        <dd>{formatNumber(counts.total)}</dd>
      </div>
      <div>
        <dt>{t.sent}</dt>
        <dd>{formatNumber(counts.sent)}</dd>
      </div>
      <div>
        <dt>{t.read}</dt>
        <dd>{formatNumber(counts.read)}</dd>
      </div>
      <div className={counts.errors > 0 ? styles.bad : undefined}>
        <dt>{t.errors}</dt>
        <dd>{formatNumber(counts.errors)}</dd>
      </div>
    </dl>
  );
}
