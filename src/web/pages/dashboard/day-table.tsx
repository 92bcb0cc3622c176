import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { fullDay, longDay } from "../../lib/calendar-day.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatNumber } from "../../messages/format.ts";
import layoutStyles from "../../ui/layout.module.css";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import tableStyles from "../../ui/table.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./activity.module.css";
import { sumOf } from "./chart-scale.ts";
import { onDays } from "./targets.ts";

type Props = { days: Dashboard["days"]; campaign: number | undefined };

export function DayTable({ days, campaign }: Props) {
  const last = days.at(-1)?.day;
  return (
    <>
      <ScrollRegion label={t.daysSaid(formatNumber(days.length))} className={styles.dayTable}>
        <table className={tableStyles.table} data-ui="table">
          <caption className={layoutStyles.srOnly}>{t.daysSaid(formatNumber(days.length))}</caption>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              {[t.attemptsSeries, t.sentSeries, t.deliveredSeries].map((head) => (
                <th key={head} scope="col" className={tableStyles.r}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, sent, delivered, confirmed }) => (
              <tr key={day}>
                <th scope="row">
                  <Link
                    className={clsx(layoutStyles.cover, styles.rowCover)}
                    to="/campaigns"
                    search={onDays(day, day, campaign)}
                  >
                    {day === last ? t.today : longDay(day)}
                    <span className={layoutStyles.srOnly}>, {fullDay(day)}</span>
                  </Link>
                </th>
                <Cells sent={sent} delivered={delivered} confirmed={confirmed} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.total}</th>
              <Cells {...sumOf(days)} />
            </tr>
          </tfoot>
        </table>
      </ScrollRegion>
      <p className={clsx(textStyles.fine, styles.activityNote)}>{t.tooltipNote}</p>
    </>
  );
}

function Cells({ sent, delivered, confirmed }: ReturnType<typeof sumOf>) {
  return (
    <>
      <td className={tableStyles.r}>{formatNumber(sent)}</td>
      <td className={tableStyles.r}>{formatNumber(delivered)}</td>
      <td className={tableStyles.r}>{formatNumber(confirmed)}</td>
    </>
  );
}
