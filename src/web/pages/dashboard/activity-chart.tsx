import { clsx } from "clsx";
import { type CSSProperties, useState } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { longDay, shortDay } from "../../lib/calendar-day.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatCompact, formatNumber } from "../../messages/format.ts";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./activity-chart.module.css";
import { markedDays, namedDays, places, roundScale } from "./chart-scale.ts";
import { DayBar } from "./day-bar.tsx";
import { DayScrub } from "./day-scrub.tsx";

type Day = Dashboard["days"][number];
type Props = { days: readonly Day[]; campaign: number | undefined };

const WIDTH = 700;
const HEIGHT = 220;

export function ActivityChart({ days, campaign }: Props) {
  const last = days.length - 1;
  const [chosen, setPlace] = useState(last);
  const [pointing, setPointing] = useState(false);
  const place = Math.min(chosen, last);
  const day = days[place];
  const { top, step } = roundScale(Math.max(0, ...days.map((each) => Math.max(each.sent, each.delivered))));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const quiet = days.every(({ sent, delivered, confirmed }) => !sent && !delivered && !confirmed);
  if (!day) return null;
  const name = place === last ? t.today : longDay(day.day);
  return (
    <>
      <div className={clsx(layoutStyles.column, styles.chart)} style={axis(ticks, top)}>
        <Legend />
        <div className={styles.plot}>
          <Ticks ticks={ticks} top={top} />
          <Lines days={days} top={top} shown={pointing ? place : null} />
          {quiet && <p className={styles.quiet}>{t.quiet(formatNumber(days.length))}</p>}
          <DayScrub
            place={place}
            last={last}
            setPlace={setPlace}
            setPointing={setPointing}
            label={t.daysSaid(formatNumber(days.length))}
            said={said(day, name)}
          />
          {pointing && <Tip day={day} name={name} middle={((place + 0.5) / days.length) * 100} />}
        </div>
        <Names days={days} shown={pointing ? place : null} />
      </div>
      <DayBar day={day} name={name} place={place} last={last} setPlace={setPlace} campaign={campaign} />
    </>
  );
}

const axis = (ticks: readonly number[], top: number) => {
  const longest = Math.max(...ticks.map((tick) => formatCompact(tick, top).length));
  return { "--axis": `calc(${longest}ch + 10px)` } as CSSProperties;
};

function Legend() {
  return (
    <div className={clsx(textStyles.aside, styles.legend)} aria-hidden="true">
      <span className={clsx(textStyles.fine, styles.unit)}>{t.unit}</span>
      <span className={styles.sent}>{t.attemptsSeries}</span>
      <span className={styles.delivered}>{t.sentSeries}</span>
    </div>
  );
}

function Ticks({ ticks, top }: { ticks: readonly number[]; top: number }) {
  return ticks.map((tick) => (
    <span key={tick} aria-hidden="true">
      <span className={styles.gridLine} style={{ bottom: `${(tick / top) * 100}%` }} />
      <span className={styles.y} data-ui="y" style={{ bottom: `${(tick / top) * 100}%` }}>
        {formatCompact(tick, top)}
      </span>
    </span>
  ));
}

function Names({ days, shown }: { days: readonly Day[]; shown: number | null }) {
  return (
    <div className={styles.names} data-ui="names" aria-hidden="true">
      {namedDays(days.length).map((place) => (
        <span
          key={place}
          data-shown={place === shown}
          style={{ left: `${((place + 0.5) / days.length) * 100}%` }}
        >
          {place === days.length - 1 ? t.today : shortDay(days[place]?.day ?? "")}
        </span>
      ))}
    </div>
  );
}

type Point = { x: number; y: number };
const line = (points: readonly Point[]) => `M${points.map(({ x, y }) => `${x} ${y}`).join(" ")}`;
const dot = ({ x, y }: Point) => `M${x} ${y}h.01`;

/** Distinct without colour: dashed with squares, solid with circles over an area. */
function Lines({ days, top, shown }: { days: readonly Day[]; top: number; shown: number | null }) {
  const sent = days.map((day) => day.sent);
  const delivered = days.map((day) => day.delivered);
  const sentAt = places(sent, top, WIDTH, HEIGHT);
  const deliveredAt = places(delivered, top, WIDTH, HEIGHT);
  const [first, last] = [deliveredAt[0]?.x ?? 0, deliveredAt.at(-1)?.x ?? 0];
  const dots = (at: readonly Point[], marked: readonly number[]) =>
    at.filter((_, place) => place === shown || (shown === null && marked.includes(place)));
  const sentDots = dots(sentAt, markedDays(sent)).map(dot).join("");
  const deliveredDots = dots(deliveredAt, markedDays(delivered)).map(dot).join("");
  const x = shown === null ? null : sentAt[shown]?.x;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {x && <path className={styles.guide} d={`M${x} 0V${HEIGHT}`} />}
      <path className={styles.area} d={`${line(deliveredAt)}L${last} ${HEIGHT}H${first}Z`} />
      <path className={clsx(styles.line, styles.delivered)} data-ui="line" d={line(deliveredAt)} />
      <path className={clsx(styles.line, styles.sent)} data-ui="line" d={line(sentAt)} />
      <path className={clsx(styles.dot, styles.ring)} d={sentDots + deliveredDots} />
      <path className={clsx(styles.dot, styles.sent)} d={sentDots} />
      <path className={clsx(styles.dot, styles.delivered)} d={deliveredDots} />
    </svg>
  );
}

const said = (day: Day, name: string) => t.daySaid(name, day.sent, day.delivered, day.confirmed);

function Tip({ day, name, middle }: { day: Day; name: string; middle: number }) {
  const side = middle < 45 ? { left: `${middle + 2.5}%` } : { right: `${100 - middle + 2.5}%` };
  return (
    <div className={clsx(layoutStyles.frame, styles.tip)} data-ui="tip" style={side} aria-hidden="true">
      <p className={styles.dayName}>{name}</p>
      <p className={clsx(styles.value, styles.sent)}>
        <span>{t.attemptsSeries}</span>
        <strong>{formatNumber(day.sent)}</strong>
      </p>
      <p className={clsx(styles.value, styles.delivered)}>
        <span>{t.sentSeries}</span>
        <strong>{formatNumber(day.delivered)}</strong>
      </p>
      <p className={clsx(styles.value, styles.confirmed)}>
        <span>{t.deliveredSeries}</span>
        <strong>{formatNumber(day.confirmed)}</strong>
      </p>
      <p className={clsx(textStyles.fine, styles.explained)}>{t.tooltipNote}</p>
    </div>
  );
}
