import { clsx } from "clsx";
import { type CSSProperties, useState } from "react";
import type { CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import { drawn, layOut, type Week, weeksOf } from "../../../../domain/campaign-calendar.ts";
import { shortDay } from "../../../lib/calendar-day.ts";
import { calendarText as t } from "../../../messages/calendar.ts";
import { formatMonth } from "../../../messages/format.ts";
import { clashesIn, placeOf } from "./bars.ts";
import styles from "./calendar.module.css";
import { CampaignBar } from "./campaign-bar.tsx";
import { markedNumbers } from "./day-load.ts";
import { DayMarks } from "./day-marks.tsx";

const LANES = 3;

export function MonthGrid({ calendar }: { calendar: CampaignCalendar }) {
  const [openWeek, setOpenWeek] = useState<string | null>(null);
  const { month, today, campaigns } = calendar;
  const days = weeksOf(month);
  const end = days.at(-1)?.at(-1) ?? today;
  const spans = campaigns.map((campaign) => drawn(campaign, today, end));
  return (
    <>
      <div className={styles.weekdays} aria-hidden="true">
        {t.weekdays.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol aria-label={t.weeks(formatMonth(month))}>
        {days.map((week) => {
          const [sunday = ""] = week;
          const isOpen = openWeek === sunday;
          const [laid] = layOut([week], spans, isOpen ? spans.length : LANES);
          return (
            laid && (
              <WeekRow
                key={sunday}
                week={laid}
                calendar={calendar}
                isOpen={isOpen}
                onOpen={() => setOpenWeek(isOpen ? null : sunday)}
              />
            )
          );
        })}
      </ol>
    </>
  );
}

type Props = { week: Week; calendar: CampaignCalendar; isOpen: boolean; onOpen: () => void };

function WeekRow({ week: { days, segments, hidden }, calendar, isOpen, onOpen }: Props) {
  const byId = new Map(calendar.campaigns.map((campaign) => [campaign.id, campaign]));
  const clashes = clashesIn(calendar);
  const lanes = Math.max(2, ...segments.map(({ lane }) => lane + 1));
  return (
    <li className={styles.week} style={{ "--lanes": lanes } as CSSProperties}>
      <WeekDays days={days} calendar={calendar} />
      <ul className={styles.bars}>
        {segments.map((segment) => {
          const { id, column, days: length, begins, ends } = segment;
          const campaign = byId.get(id);
          const [first = "", last = ""] = [days[column], days[column + length - 1]];
          return (
            campaign && (
              <li key={id} style={placeOf(segment)}>
                <CampaignBar
                  campaign={campaign}
                  clashes={clashes(id, first, last)}
                  figure={length > 1}
                  cut={{ before: !begins, after: !ends }}
                />
              </li>
            )
          );
        })}
      </ul>
      <MoreOfWeek hidden={Math.max(0, ...hidden)} isOpen={isOpen} onOpen={onOpen} />
    </li>
  );
}

function WeekDays({ days, calendar }: { days: readonly string[]; calendar: CampaignCalendar }) {
  const { month, today, holidays } = calendar;
  const numbers = markedNumbers(calendar);
  return (
    <ol className={styles.cells}>
      {days.map((day) => {
        const isHoliday = holidays.includes(day);
        const isOut = !day.startsWith(month);
        return (
          <li
            key={day}
            className={clsx(isHoliday && styles.closed, isOut && styles.out, day === today && styles.today)}
            aria-current={day === today ? "date" : undefined}
          >
            <span className={styles.date}>
              <time dateTime={day}>{isOut ? shortDay(day) : Number(day.slice(8))}</time>
              {isHoliday && <em>{t.holiday}</em>}
            </span>
            <DayMarks numbers={numbers} day={day} />
          </li>
        );
      })}
    </ol>
  );
}

function MoreOfWeek({ hidden, isOpen, onOpen }: { hidden: number; isOpen: boolean; onOpen: () => void }) {
  if (hidden === 0 && !isOpen) return null;
  return (
    <button
      type="button"
      className={styles.more}
      aria-expanded={isOpen}
      aria-label={isOpen ? t.fewer : t.moreSaid(hidden)}
      onClick={onOpen}
    >
      {isOpen ? t.fewer : t.more(hidden)}
    </button>
  );
}
