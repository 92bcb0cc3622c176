import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { CheckCheck, Send, Timer, TrendingDown, TrendingUp, Users } from "lucide-react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatDecimal, formatNumber, formatShare } from "../../messages/format.ts";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import statStyles from "../../ui/stat.module.css";
import { Stat } from "../../ui/stat.tsx";
import textStyles from "../../ui/text.module.css";
import changeStyles from "./change.module.css";
import dashboardStyles from "./dashboard.module.css";
import { formatMinutes } from "./minutes.ts";
import { toPeople, withOutcome } from "./targets.ts";

type Props = { data: Dashboard; campaign: number | undefined };

export function StatCards({ data, campaign }: Props) {
  const { sent, contacts, rate, interval } = data.cards;
  return (
    <div className={dashboardStyles.stats}>
      <Stat
        label={t.sent}
        icon={Send}
        hint={t.sentHint}
        figure={
          <Link
            className={clsx(layoutStyles.cover, statStyles.figureLink)}
            to="/campaigns"
            search={withOutcome("enviadas", campaign)}
          >
            {formatNumber(sent.value)}
          </Link>
        }
      >
        <Change by={sent.change} words={formatShare} judged />
      </Stat>
      <Stat
        label={t.contacts}
        icon={Users}
        figure={<Contacts data={data} campaign={campaign} />}
        {...(campaign ? {} : { hint: t.contactsHint })}
      >
        <Change by={contacts.change} words={formatShare} since={t.newLists} judged />
      </Stat>
      <Stat
        label={t.rate}
        icon={CheckCheck}
        figure={
          <Link
            className={clsx(layoutStyles.cover, statStyles.figureLink)}
            to="/campaigns"
            search={withOutcome("tentativas", campaign)}
          >
            {formatShare(rate.value)}
          </Link>
        }
      >
        <Change by={rate.change} words={(by) => t.points(formatDecimal(by * 100))} judged />
      </Stat>
      <Stat
        label={t.interval}
        icon={Timer}
        figure={formatMinutes(interval.value)}
        hint={t.intervalHint}
        {...(interval.value === null ? {} : { unit: t.minutes })}
      >
        <Change by={interval.change} words={formatShare} />
      </Stat>
    </div>
  );
}

function Contacts({ data, campaign }: Props) {
  const figure = formatNumber(data.cards.contacts.value);
  if (!campaign)
    return (
      <Link className={clsx(layoutStyles.cover, statStyles.figureLink)} to="/contacts">
        {figure}
      </Link>
    );
  const one = data.recent.find(({ id }) => id === campaign);
  const people = one && toPeople(one);
  if (!people) return figure;
  return (
    <Link className={clsx(layoutStyles.cover, statStyles.figureLink)} {...people}>
      {figure}
    </Link>
  );
}

/** `judged`: up is green, down red. */
function Change({
  by,
  words,
  since = t.inThirtyDays,
  judged,
}: {
  by: number | null;
  words: (by: number) => string;
  since?: string;
  judged?: boolean;
}) {
  if (by === null)
    return (
      <div className={clsx(textStyles.fact, changeStyles.change)} data-ui="change">
        {t.noData}
      </div>
    );
  const up = by > 0;
  const tone = by === 0 || !judged ? "" : up ? "success" : "danger";
  return (
    <div className={clsx(textStyles.fact, changeStyles.change)} data-ui="change" data-tone={tone}>
      <b>
        {by !== 0 && (
          <>
            <Icon of={up ? TrendingUp : TrendingDown} sm />
            <span className={layoutStyles.srOnly}>{up ? t.up : t.down}</span>
          </>
        )}
        {words(Math.abs(by))}
      </b>{" "}
      {since}
    </div>
  );
}
