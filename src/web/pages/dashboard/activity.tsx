import * as Tabs from "@radix-ui/react-tabs";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { longDay } from "../../lib/calendar-day.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { Select } from "../../ui/inputs.tsx";
import { ActivityChart } from "./activity-chart.tsx";
import { sumOf } from "./chart-scale.ts";
import { DayTable } from "./day-table.tsx";
import { onDays } from "./targets.ts";
import type { useDashboard } from "./use-dashboard.ts";
import "./activity.css";

type Days = Dashboard["days"];
type Props = {
  days: Days;
  dashboard: Pick<ReturnType<typeof useDashboard>, "campaign" | "wanted" | "view" | "ask">;
};

export function Activity({ days, dashboard }: Props) {
  const heading = useId();
  const { campaign, wanted, view, ask } = dashboard;
  return (
    <section className="card activity" aria-labelledby={heading}>
      <Tabs.Root
        className="activity-views"
        value={view}
        onValueChange={(next) => ask({ ver: next === "tabela" ? "tabela" : undefined })}
      >
        <div className="card-head">
          <h2 id={heading} className="card-title">
            {t.activity}
          </h2>
          <div className="activity-tools">
            <div className="activity-span">
              <Select
                label={t.span}
                hiddenLabel
                value={String(wanted.span)}
                onChange={({ target }) => ask({ dias: SPANS[target.value] })}
                options={["7", "30", "90"].map((count) => ({ value: count, label: t.days(count) }))}
              />
            </div>
            <Tabs.List className="seg" aria-label={t.view}>
              <Tabs.Trigger value="grafico">{t.chart}</Tabs.Trigger>
              <Tabs.Trigger value="tabela">{t.table}</Tabs.Trigger>
            </Tabs.List>
          </div>
        </div>
        <Summary days={days} campaign={campaign} />
        <Tabs.Content value="grafico" className="activity-view">
          <ActivityChart key={days.length} days={days} campaign={campaign} />
        </Tabs.Content>
        <Tabs.Content value="tabela" className="activity-view">
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
    <p className="activity-sum">
      <Link className="count-link" to="/campaigns" search={onDays(first, last, campaign)}>
        {t.sums(sent, delivered, days.length)}
      </Link>
      {busy.length === 1 && only && ` ${t.onlyOn(only.day === last ? t.today : longDay(only.day))}`}
    </p>
  );
}
