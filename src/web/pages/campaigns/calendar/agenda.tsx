import { useState } from "react";
import type { CalendarCampaign, CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import { drawn, weeksOf } from "../../../../domain/campaign-calendar.ts";
import { shortDay, weekdayOf } from "../../../lib/calendar-day.ts";
import { calendarText as t } from "../../../messages/calendar.ts";
import { formatMonth } from "../../../messages/format.ts";
import { localeText } from "../../../messages/locale.ts";
import { Button } from "../../../ui/button.tsx";
import { clashesIn } from "./bars.ts";
import styles from "./calendar.module.css";
import { CampaignBar } from "./campaign-bar.tsx";
import { markedNumbers, messagesOf } from "./day-load.ts";
import { DayMarks } from "./day-marks.tsx";

type Day = { day: string; messages: number; campaigns: CalendarCampaign[] };

function daysOf({ month, today, campaigns, numbers }: CampaignCalendar): Day[] {
  const days = weeksOf(month)
    .flat()
    .filter((day) => day.startsWith(month));
  const end = days.at(-1) ?? today;
  const spans = new Map(campaigns.map((campaign) => [campaign.id, drawn(campaign, today, end)]));
  return days.flatMap((day) => {
    const loads = numbers.flatMap((number) => number.days.filter((each) => each.day === day));
    const messages = loads.reduce((sum, load) => sum + messagesOf(load), 0);
    const here = campaigns.filter(({ id, connectionId }) => {
      const span = spans.get(id);
      if (!span || day < span.first || day > span.last) return false;
      if (day === span.first || day === span.last) return true;
      const number = numbers.find((each) => each.connectionId === connectionId);
      return number?.days.some((each) => each.day === day && messagesOf(each) > 0) ?? false;
    });
    return here.length > 0 || messages > 0 ? { day, messages, campaigns: here } : [];
  });
}

export function Agenda({ calendar }: { calendar: CampaignCalendar }) {
  const { month, today } = calendar;
  const [withPast, setWithPast] = useState(false);
  const days = daysOf(calendar);
  const ahead = days.filter(({ day }) => day >= today);
  const hidesPast = !withPast && today.startsWith(month) && ahead.length < days.length;
  const shown = hidesPast ? ahead : days;
  const clashes = clashesIn(calendar);
  const numbers = markedNumbers(calendar);
  return (
    <>
      {hidesPast && ahead.length === 0 && <p className={styles.empty}>{t.emptyAhead}</p>}
      <ol className={styles.agenda} aria-label={t.days(formatMonth(month))}>
        {shown.map(({ day, messages, campaigns }) => (
          <li key={day}>
            <h3>
              <time dateTime={day}>{named(day, today)}</time>
              <span data-ui="num">{messages > 0 && t.messages(messages)}</span>
            </h3>
            {campaigns.map((campaign) => (
              <CampaignBar
                key={campaign.id}
                campaign={campaign}
                clashes={clashes(campaign.id, day, day)}
                figure
              />
            ))}
            {messages > 0 && <DayMarks numbers={numbers} day={day} />}
          </li>
        ))}
      </ol>
      {hidesPast && (
        <div className={styles.inside}>
          <Button small onClick={() => setWithPast(true)}>
            {t.past}
          </Button>
        </div>
      )}
    </>
  );
}

function named(day: string, today: string): string {
  const weekday = weekdayOf(day);
  const name = weekday.charAt(0).toLocaleUpperCase(localeText.locale) + weekday.slice(1);
  return `${name}, ${shortDay(day)}${day === today ? ` (${t.today})` : ""}`;
}
