import { type PointerEvent, useId, useRef, useState } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { formatNumber } from "../../format.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { points, roundScale } from "./chart-scale.ts";
import { longDay, shortDay } from "./days.ts";
import "./activity-chart.css";

type Day = Dashboard["days"][number];

const WIDTH = 700;
const HEIGHT = 220;

/** Seven days as two lines; each day can be pointed at, reached by arrow keys or read in a table. */
export function ActivityChart({ days }: { days: readonly Day[] }) {
  const heading = useId();
  return (
    <section className="card activity" aria-labelledby={heading}>
      <div className="card-head">
        <h2 id={heading} className="card-title">
          {t.activity}
        </h2>
        <div className="legend" aria-hidden="true">
          <span className="sent">{t.sentSeries}</span>
          <span>{t.deliveredSeries}</span>
        </div>
      </div>
      <Chart days={days} />
      <div className="sr-only">
        <DayTable days={days} />
      </div>
    </section>
  );
}

function Chart({ days }: { days: readonly Day[] }) {
  const [shown, setShown] = useState<number | null>(null);
  const { top, step } = roundScale(Math.max(0, ...days.map((day) => Math.max(day.sent, day.delivered))));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, place) => place * step);
  const quiet = days.every((day) => day.sent === 0 && day.delivered === 0);
  const day = shown === null ? undefined : days[shown];
  return (
    <div className="chart">
      <div className="plot">
        {ticks.map((tick) => (
          <span key={tick} aria-hidden="true">
            <span className="grid-line" style={{ bottom: `${(tick / top) * 100}%` }} />
            <span className="y" style={{ bottom: `${(tick / top) * 100}%` }}>
              {formatNumber(tick)}
            </span>
          </span>
        ))}
        <Lines days={days} top={top} shown={shown} />
        {quiet && <p className="quiet">{t.quietWeek}</p>}
        <Columns days={days} shown={shown} onShow={setShown} />
        {day && shown !== null && <Tip day={day} place={shown} today={shown === days.length - 1} />}
      </div>
    </div>
  );
}

function Lines({ days, top, shown }: { days: readonly Day[]; top: number; shown: number | null }) {
  const line = (values: readonly number[]) => points(values, top, WIDTH, HEIGHT);
  const sent = days.map((day) => day.sent);
  const delivered = days.map((day) => day.delivered);
  const column = WIDTH / days.length;
  const x = ((shown ?? 0) + 0.5) * column;
  const y = (values: readonly number[]) => HEIGHT - ((values[shown ?? 0] ?? 0) / top) * HEIGHT;
  const sentDot = `M${x} ${y(sent)}h.01`;
  const deliveredDot = `M${x} ${y(delivered)}h.01`;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {shown !== null && <path className="guide" d={`M${x} 0V${HEIGHT}`} />}
      <path className="area" d={`M${line(delivered)}V${HEIGHT}H${column / 2}Z`} />
      <path className="line sent" d={`M${line(sent)}`} />
      <path className="line delivered" d={`M${line(delivered)}`} />
      {shown !== null && (
        <>
          <path className="dot ring" d={sentDot + deliveredDot} />
          <path className="dot sent" d={sentDot} />
          <path className="dot delivered" d={deliveredDot} />
        </>
      )}
    </svg>
  );
}

type ColumnsProps = { days: readonly Day[]; shown: number | null; onShow: (place: number | null) => void };

/** A finger that is lifted has not left: what it pointed at stays until it points elsewhere. */
const mouse = (act: () => void) => (event: PointerEvent) => {
  if (event.pointerType === "mouse") act();
};

/** One stop for the Tab key; arrows go from day to day. */
function Columns({ days, shown, onShow }: ColumnsProps) {
  const row = useRef<HTMLFieldSetElement>(null);
  const last = days.length - 1;
  const step = (place: number) => row.current?.querySelectorAll("button")[place]?.focus();
  return (
    <fieldset
      ref={row}
      className="columns"
      aria-label={t.activityLast}
      onPointerLeave={mouse(() => onShow(null))}
    >
      {days.map((day, place) => (
        <button
          key={day.day}
          type="button"
          tabIndex={place === (shown ?? last) ? 0 : -1}
          data-shown={place === shown}
          aria-label={said(day, place === last)}
          onPointerEnter={mouse(() => onShow(place))}
          onFocus={() => onShow(place)}
          onBlur={() => onShow(null)}
          onClick={() => onShow(place)}
          onKeyDown={({ key }) => {
            if (key === "ArrowLeft") step(Math.max(0, place - 1));
            if (key === "ArrowRight") step(Math.min(last, place + 1));
            if (key === "Escape") onShow(null);
          }}
        >
          {place === last ? t.today : shortDay(day.day)}
        </button>
      ))}
    </fieldset>
  );
}

const said = (day: Day, today: boolean) =>
  t.daySaid(
    today ? t.today : longDay(day.day),
    formatNumber(day.sent),
    formatNumber(day.delivered),
    formatNumber(day.confirmed),
  );

/** Beside its day, on the side where there is room. */
function Tip({ day, place, today }: { day: Day; place: number; today: boolean }) {
  const middle = ((place + 0.5) / 7) * 100;
  const side = place < 3 ? { left: `${middle + 2.5}%` } : { right: `${100 - middle + 2.5}%` };
  return (
    <div className="tip" style={side} aria-hidden="true">
      <p className="day-name">{today ? t.today : longDay(day.day)}</p>
      <p className="value sent">
        <span>{t.sentSeries}</span>
        <b>{formatNumber(day.sent)}</b>
      </p>
      <p className="value">
        <span>{t.deliveredSeries}</span>
        <b>{formatNumber(day.delivered)}</b>
      </p>
      <p className="value confirmed">
        <span>{t.confirmedSeries}</span>
        <b>{formatNumber(day.confirmed)}</b>
      </p>
      <p className="explained">{t.tooltipNote}</p>
    </div>
  );
}

/** The same figures for those who do not see the lines. */
function DayTable({ days }: { days: readonly Day[] }) {
  return (
    <table>
      <caption>{t.activityLast}</caption>
      <thead>
        <tr>
          {[t.day, t.sentSeries, t.deliveredSeries, t.confirmedSeries].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day, place) => (
          <tr key={day.day}>
            <th scope="row">{place === days.length - 1 ? t.today : longDay(day.day)}</th>
            <td>{formatNumber(day.sent)}</td>
            <td>{formatNumber(day.delivered)}</td>
            <td>{formatNumber(day.confirmed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
