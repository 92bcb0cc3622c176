import { clsx } from "clsx";
import type { Campaign } from "../../../contract/campaigns.ts";
import { useMe } from "../../api/me.ts";
import { longDay } from "../../lib/calendar-day.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { commonText } from "../../messages/common.ts";
import { dayBarsText } from "../../messages/day-bars.ts";
import { formatAt, formatNumber, formatOn, formatTime } from "../../messages/format.ts";
import { DayStrip } from "../../ui/day-bars.tsx";
import { ProgressBar, UnknownProgress } from "../../ui/progress-bar.tsx";
import styles from "./campaigns.module.css";
import { paceText } from "./pace-text.ts";

export function CampaignProgress({ campaign }: { campaign: Campaign }) {
  const { timeZone } = useMe();
  const { total } = campaign.counts;
  if (!campaign.progress || total === 0)
    return (
      <div className={styles.prog}>
        <span className={styles.ends}>{t.preparing}</span>
        <UnknownProgress label={t.progress(campaign.name)} />
      </div>
    );
  const { done, perMinute, endsAt, awaits, plan } = campaign.progress;
  const { canary } = campaign;
  // 99.9 % must not read as done.
  const percent = Math.floor((done / total) * 100);
  return (
    <div className={styles.prog}>
      <div className={styles.ends}>
        <span>
          <strong>{formatNumber(done)}</strong> {t.doneOf(formatNumber(total))}
        </span>
        <strong>{percent}%</strong>
      </div>
      <ProgressBar
        label={t.progress(campaign.name)}
        parts={[{ share: done / total }]}
        text={commonText.percentOf(formatNumber(done), formatNumber(total))}
      />
      <div className={clsx(styles.ends, styles.foot)}>
        <span>
          {canary && canaryText(canary, timeZone)}
          {!canary &&
            (awaits ? t.awaits(awaits.people) : plan ? planText(plan, timeZone) : paceText(perMinute))}
        </span>
        {endsAt && !canary && <span>{t.endsAt(formatOn(endsAt, timeZone))}</span>}
        {awaits?.until && <span>{t.awaitsUntil(formatOn(awaits.until, timeZone))}</span>}
      </div>
      {plan && plan.days.length > 1 && (
        <DayStrip
          label={dayBarsText.perDay}
          bars={plan.days.map(({ day, warm, cold }) => ({
            day,
            filled: warm + cold,
            said: dayBarsText.messages(longDay(day), warm, cold),
          }))}
        />
      )}
    </div>
  );
}

const canaryText = ({ people, until }: NonNullable<Campaign["canary"]>, zone: string) =>
  t.canary(people, until && formatTime(until, zone));

type Plan = NonNullable<NonNullable<Campaign["progress"]>["plan"]>;

/** An end in the next two months stands beside it. */
function planText({ state, until, cold, why }: Plan, zone: string): string {
  const now =
    state === "never_opens" || until === null
      ? t.plan.never_opens
      : t.plan[state](state === "open" ? formatTime(until, zone) : formatAt(until, zone));
  const waits = state === "used_up" && cold === 0 ? t.plan.open("") : now;
  return [waits, cold > 0 && t.plan.cold(cold), why !== null && why !== "never_opens" && t.plan[why]]
    .filter(Boolean)
    .join(" ");
}
