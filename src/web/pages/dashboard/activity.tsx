import * as Tabs from "@radix-ui/react-tabs";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { longDay } from "../../lib/calendar-day.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import cardStyles from "../../ui/card.module.css";
import { Select } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import segmentedTabsStyles from "../../ui/segmented-tabs.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./activity.module.css";
import { ActivityChart } from "./activity-chart.tsx";
import { sumOf } from "./chart-scale.ts";
import { DayTable } from "./day-table.tsx";
import panelsStyles from "./panels.module.css";
import { onDays } from "./targets.ts";
import type { useDashboard } from "./use-dashboard.ts";

type Days = Dashboard["days"];
type Props = {
  days: Days;
  dashboard: Pick<ReturnType<typeof useDashboard>, "campaign" | "wanted" | "view" | "ask">;
};

export function Activity({ days, dashboard }: Props) {
  const heading = useId();
  const { campaign, wanted, view, ask } = dashboard;
  return (
    <section className={clsx(cardStyles.card, styles.activity)} aria-labelledby={heading}>
      <Tabs.Root
        className={styles.activityViews}
        value={view}
        onValueChange={(next) => ask({ ver: next === "tabela" ? "tabela" : undefined })}
      >
        <div className={cardStyles.cardHead} data-ui="card-head">
          <h2 id={heading} className={cardStyles.cardTitle}>
            {t.activity}
          </h2>
          <div className={clsx(layoutStyles.row, styles.activityTools)}>
            <div className={styles.activitySpan}>
              <Select
                label={t.span}
                hiddenLabel
                value={String(wanted.span)}
                onChange={({ target }) => ask({ dias: SPANS[target.value] })}
                options={["7", "30", "90"].map((count) => ({ value: count, label: t.days(count) }))}
              />
            </div>
            <Tabs.List className={segmentedTabsStyles.seg} aria-label={t.view}>
              <Tabs.Trigger value="grafico">{t.chart}</Tabs.Trigger>
              <Tabs.Trigger value="tabela">{t.table}</Tabs.Trigger>
            </Tabs.List>
          </div>
        </div>
        <Summary days={days} campaign={campaign} />
        <Tabs.Content value="grafico" className={styles.activityView}>
          <ActivityChart key={days.length} days={days} campaign={campaign} />
        </Tabs.Content>
        <Tabs.Content value="tabela" className={styles.activityView}>
          <DayTable days={days} campaign={campaign} />
        </Tabs.Content>
      </Tabs.Root>
    </section>
  );
}

const SPANS: Record<string, 30 | 90 | undefined> = { "30": 30, "90": 90 };

function Summary({ days, campaign }: { days: Days; campaign: number | undefined }) {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  const busy = days.filter(({ sent, delivered, confirmed }) => sent || delivered || confirmed);
  if (!first || !last || busy.length === 0) return null;
  const { sent, delivered } = sumOf(days);
  const [only] = busy;
  return (
    <p className={clsx(textStyles.fact, styles.activitySum)}>
      <Link className={panelsStyles.countLink} to="/campaigns" search={onDays(first, last, campaign)}>
        {t.sums(sent, delivered, days.length)}
      </Link>
      {busy.length === 1 && only && ` ${t.onlyOn(only.day === last ? t.today : longDay(only.day))}`}
    </p>
  );
}
