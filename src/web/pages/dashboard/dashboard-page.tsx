import { clsx } from "clsx";
import { ChartLine, Plus, RefreshCw } from "lucide-react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { useFirstSteps } from "../../api/first-steps.ts";
import { useMe } from "../../api/me.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatLongDay } from "../../messages/format.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import pageStyles from "../../ui/page.module.css";
import { Page } from "../../ui/page.tsx";
import { Activity } from "./activity.tsx";
import styles from "./dashboard.module.css";
import { DashboardSkeleton } from "./dashboard-skeleton.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RateGauge } from "./rate-gauge.tsx";
import { RecentTable } from "./recent-table.tsx";
import { StatCards } from "./stat-cards.tsx";
import { StatusPanel } from "./status-panel.tsx";
import { useDashboard } from "./use-dashboard.ts";
import { useNames } from "./use-names.ts";
import { useTurnedDay } from "./use-turned-day.ts";

export function DashboardPage() {
  const { timeZone, stepsHidden } = useMe();
  const steps = useFirstSteps(!stepsHidden);
  const dashboard = useDashboard();
  const { query, wanted, ask } = dashboard;
  const { data } = query;
  const fresh = data !== undefined && isEmpty(data);
  const zone = data?.zone ?? timeZone;
  const today = useTurnedDay(zone);
  const names = useNames(data);
  return (
    <Page
      title={t.title}
      fact={formatLongDay(today, zone)}
      actions={
        <>
          <div className={clsx(styles.dashFilter, pageStyles.grow2)}>
            <Select
              label={t.filter}
              hiddenLabel
              value={String(wanted.campaign ?? "")}
              onChange={({ target }) => ask({ campanha: Number(target.value) || undefined })}
              options={[
                { value: "", label: t.all },
                ...names.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
          </div>
          <Button icon={RefreshCw} busy={query.isRefetching} onClick={() => void query.refetch()}>
            {t.refresh}
          </Button>
          <LinkButton to="/campaigns/new" look={fresh ? "secondary" : "primary"} icon={Plus}>
            {t.create}
          </LinkButton>
        </>
      }
    >
      {query.isError && (
        <div className={layoutStyles.below4}>
          <QueryError title={t.failed} query={query} />
        </div>
      )}
      {data && !steps.isLoading ? (
        <>
          {!stepsHidden && steps.data && <FirstSteps steps={steps.data} />}
          <Figures data={data} dashboard={dashboard} stepsShown={!stepsHidden} />
        </>
      ) : (
        !query.isError && <DashboardSkeleton />
      )}
    </Page>
  );
}

const isEmpty = ({ statuses, gauge }: Dashboard) => statuses.total === 0 && gauge.attempts === 0;

type FiguresProps = { data: Dashboard; dashboard: ReturnType<typeof useDashboard>; stepsShown: boolean };

function Figures({ data, dashboard, stepsShown }: FiguresProps) {
  const { campaign } = dashboard;
  if (isEmpty(data))
    return (
      <>
        <StatCards data={data} campaign={campaign} />
        <EmptyState icon={ChartLine} title={t.empty.title} text={t.empty.text}>
          {!stepsShown && (
            <LinkButton to="/campaigns/new" look="primary" icon={Plus}>
              {t.create}
            </LinkButton>
          )}
        </EmptyState>
      </>
    );
  return (
    <>
      <StatCards data={data} campaign={campaign} />
      <div className={styles.dash}>
        <Activity days={data.days} dashboard={dashboard} />
        <StatusPanel statuses={data.statuses} campaign={campaign} />
      </div>
      <div className={styles.dash}>
        <RecentTable recent={data.recent} zone={data.zone} />
        <RateGauge gauge={data.gauge} campaign={campaign} />
      </div>
    </>
  );
}
