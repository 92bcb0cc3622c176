import { CheckCheck, Send, Timer, TrendingDown, TrendingUp, Users } from "lucide-react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { Icon } from "../../components/icon.tsx";
import { Stat } from "../../components/stat.tsx";
import { formatDecimal, formatNumber, formatShare } from "../../format.ts";
import { commonText } from "../../messages/common.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";

/** The four figures, each with how the last 30 days compare with the 30 before. */
export function StatCards({ cards }: { cards: Dashboard["cards"] }) {
  const { sent, contacts, rate, interval } = cards;
  return (
    <div className="stats">
      <Stat label={t.sent} icon={Send} figure={formatNumber(sent.value)}>
        <Change by={sent.change} words={formatShare} judged />
      </Stat>
      <Stat label={t.contacts} icon={Users} figure={formatNumber(contacts.value)}>
        <Change by={contacts.change} words={formatShare} judged />
      </Stat>
      <Stat label={t.rate} icon={CheckCheck} figure={formatShare(rate.value)}>
        <Change by={rate.change} words={(by) => t.points(formatDecimal(by * 100))} judged />
      </Stat>
      <Stat
        label={t.interval}
        icon={Timer}
        figure={formatDecimal(interval.value)}
        {...(interval.value === null ? {} : { unit: t.minutes })}
      >
        <Change by={interval.change} words={formatShare} />
      </Stat>
    </div>
  );
}

/** `judged`: more is better, so that up is green and down is red; else neither. */
function Change({
  by,
  words,
  judged,
}: {
  by: number | null;
  words: (by: number) => string;
  judged?: boolean;
}) {
  if (by === null)
    return (
      <div className="change">
        <b>{commonText.none}</b> {t.noData}
      </div>
    );
  const up = by > 0;
  const tone = by === 0 || !judged ? "" : up ? "up" : "down";
  return (
    <div className={`change ${tone}`}>
      <b>
        {by !== 0 && (
          <>
            <Icon of={up ? TrendingUp : TrendingDown} sm />
            <span className="sr-only">{up ? t.up : t.down}</span>
          </>
        )}
        {words(Math.abs(by))}
      </b>{" "}
      {t.inThirtyDays}
    </div>
  );
}
