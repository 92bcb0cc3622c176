import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { MessageCircle, MessageCirclePlus, Pencil, Smartphone } from "lucide-react";
import { useState } from "react";
import type { PlanView } from "../../../contract/number-plans.ts";
import { recommendedPlan } from "../../../domain/number-plan.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { planQuery } from "../../api/connections.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { serverNow } from "../../api/server-clock.ts";
import { dayIn, fullDay } from "../../lib/calendar-day.ts";
import { formatAt, formatNumber, formatTime } from "../../messages/format.ts";
import { numberPlanText as t } from "../../messages/number-plan.ts";
import { rowId } from "../../routes/campaigns.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { Stat } from "../../ui/stat.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { ColdDays } from "./cold-days.tsx";
import styles from "./number-page.module.css";
import { HoursCard, PaceCard, UsesCard } from "./plan-cards.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { useStorePlan } from "./use-store-plan.ts";

const route = getRouteApi("/shell/whatsapp/connections/$connectionId");
const LOOK_MS = 60_000;

export function NumberPage() {
  const id = rowId(Number(route.useParams().connectionId));
  return id === undefined ? <Gone /> : <Shown id={id} />;
}

function Shown({ id }: { id: number }) {
  const query = useQuery({ ...planQuery(id), refetchInterval: usePollingWhenDown(LOOK_MS) });
  const { data: view } = query;
  if (query.error instanceof ApiError && query.error.code === "not_found") return <Gone />;
  if (!view)
    return (
      <Page title={t.title} fact={<>&nbsp;</>}>
        {query.error ? (
          <QueryError title={t.failed} query={query} />
        ) : (
          <Skeleton className={styles.split}>
            <Bone width="100%" height="320px" />
            <Bone width="100%" height="320px" />
          </Skeleton>
        )}
      </Page>
    );
  return <NumberView id={id} view={view} />;
}

function Gone() {
  return (
    <Page title={t.title}>
      <EmptyState icon={Smartphone} title={t.gone.title} text={t.gone.text}>
        <LinkButton to="/whatsapp/connections">{t.back}</LinkButton>
      </EmptyState>
    </Page>
  );
}

function NumberView({ id, view }: { id: number; view: PlanView }) {
  const [editing, setEditing] = useState(false);
  const { plan } = view;
  return (
    <Page
      title={view.name || t.title}
      fact={
        <>
          {view.number && <span data-ui="num">{formatPhone(view.number)} · </span>}
          {plan && `${t.since(fullDay(plan.inUseSince))} · `}
          <TextLink to="/whatsapp/connections">{t.back}</TextLink>
        </>
      }
      actions={
        plan && (
          <Button icon={Pencil} onClick={() => setEditing(true)}>
            {t.edit}
          </Button>
        )
      }
    >
      {plan === null ? <NoPlan id={id} view={view} /> : <PlanNotices view={view} />}
      <Meters view={view} />
      <div className={styles.split}>
        <div className={layoutStyles.stack4}>
          <ColdDays view={view} />
          {plan && <HoursCard plan={plan} zone={view.zone} />}
        </div>
        <div className={layoutStyles.stack4}>
          {plan && <PaceCard plan={plan} />}
          <UsesCard view={view} />
        </div>
      </div>
      {editing && plan && <PlanDialog id={id} plan={plan} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function NoPlan({ id, view }: { id: number; view: PlanView }) {
  const store = useStorePlan(id);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const use = async () => {
    setBusy(true);
    setError(null);
    try {
      await store(recommendedPlan(dayIn(view.zone, new Date(serverNow()))));
      toastDone(t.none.saved);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <div className={layoutStyles.below4}>
      <Notice tone="warning">
        <b>{t.none.title}</b> {t.none.text}
        <div className={layoutStyles.top3}>
          <Button look="primary" busy={busy} busyText={t.none.using} onClick={use}>
            {t.none.use}
          </Button>
        </div>
      </Notice>
      {error !== null && <SmallError title={t.none.failed} text={errorTextOf(error, "")} />}
    </div>
  );
}

function PlanNotices({ view }: { view: PlanView }) {
  const { state, until, zone, risks } = view;
  const tone = state === "open" ? "info" : state === "never_opens" ? "danger" : "warning";
  return (
    <div className={styles.notices}>
      <Notice tone={tone}>{stateText({ state, until, zone })}</Notice>
      {risks.length > 0 && (
        <Notice tone="warning">
          <b>{t.risks}</b>
          <ul className={styles.risks}>
            {risks.map((risk) => (
              <li key={risk}>{t.risky.each[risk]}</li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}

function stateText({ state, until, zone }: Pick<PlanView, "state" | "until" | "zone">): string {
  if (state === "never_opens") return t.states.never_opens;
  if (until === null) return "";
  return t.states[state](state === "open" ? formatTime(until, zone) : formatAt(until, zone));
}

function Meters({ view: { coldToday, budget } }: { view: PlanView }) {
  const all = budget === null ? null : coldToday + budget;
  return (
    <div className={styles.meters}>
      <Stat
        label={t.today.label}
        icon={MessageCirclePlus}
        figure={formatNumber(coldToday)}
        unit={all === null ? t.today.noLimit : t.today.of(all)}
      >
        {all !== null && budget !== null && (
          <>
            <ProgressBar
              label={t.today.label}
              parts={[{ share: all === 0 ? 0 : coldToday / all }]}
              text={t.today.used(coldToday, all)}
            />
            <p className={styles.sub}>{t.today.left(budget)}</p>
          </>
        )}
      </Stat>
      <Stat label={t.warm.label} icon={MessageCircle} figure={t.warm.figure}>
        <p className={styles.sub}>{t.warm.text}</p>
      </Stat>
    </div>
  );
}
