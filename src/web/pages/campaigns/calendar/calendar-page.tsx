import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Megaphone, Plus } from "lucide-react";
import type { CalendarCampaign, CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import { drawn, MONTH, shiftMonth, weeksOf } from "../../../../domain/campaign-calendar.ts";
import { calendarQuery } from "../../../api/campaigns.ts";
import { useMe } from "../../../api/me.ts";
import { useToday } from "../../../api/use-today.ts";
import { dayIn } from "../../../lib/calendar-day.ts";
import { calendarText as t } from "../../../messages/calendar.ts";
import { formatMonth } from "../../../messages/format.ts";
import { localeText } from "../../../messages/locale.ts";
import buttonStyles from "../../../ui/button.module.css";
import cardStyles from "../../../ui/card.module.css";
import { ErrorNotice, QueryError } from "../../../ui/error-notice.tsx";
import type { LucideIcon } from "../../../ui/icon.tsx";
import layoutStyles from "../../../ui/layout.module.css";
import { LinkButton } from "../../../ui/link-button.tsx";
import { Page } from "../../../ui/page.tsx";
import { Bone, Skeleton } from "../../../ui/skeleton.tsx";
import { Tooltip } from "../../../ui/tooltip.tsx";
import { useNarrow } from "../../../ui/use-narrow.ts";
import { useRefetchError } from "../../../ui/use-refetch-error.ts";
import { Agenda } from "./agenda.tsx";
import styles from "./calendar.module.css";
import { Conflicts } from "./conflicts.tsx";
import { Legend } from "./legend.tsx";
import { Loads } from "./loads.tsx";
import { MonthGrid } from "./month-grid.tsx";

const route = getRouteApi("/shell/campaigns/calendar");
const LOOK_MS = 60_000;

export function CalendarPage() {
  const { timeZone } = useMe();
  const today = dayIn(timeZone, useToday(timeZone));
  const { mes: month = today.slice(0, 7) } = route.useSearch();
  const query = useQuery({ ...calendarQuery(month), refetchInterval: LOOK_MS });
  const old = useRefetchError(query);
  const { data } = query;
  return (
    <Page title={t.title} fact={data ? factOf(data) : <>&nbsp;</>} actions={<Actions />}>
      {old && (
        <div className={layoutStyles.below4}>
          <ErrorNotice title={t.failed} error={query.error} onRetry={() => void query.refetch()} />
        </div>
      )}
      <div className={styles.split}>
        <section className={cardStyles.card} aria-labelledby="month">
          <MonthHead month={month} />
          {data ? (
            <Month calendar={data} />
          ) : query.isError ? (
            <div className={styles.inside}>
              <QueryError title={t.failed} query={query} />
            </div>
          ) : (
            <Skeleton className={styles.inside}>
              <Bone width="100%" height="480px" />
            </Skeleton>
          )}
        </section>
        {data && (
          <div className={styles.aside}>
            <Conflicts calendar={data} />
            <Loads calendar={data} />
          </div>
        )}
      </div>
    </Page>
  );
}

function Actions() {
  return (
    <>
      <LinkButton to="/campaigns" icon={Megaphone}>
        {t.campaigns}
      </LinkButton>
      <LinkButton to="/campaigns/new" look="primary" icon={Plus}>
        {t.create}
      </LinkButton>
    </>
  );
}

function MonthHead({ month }: { month: string }) {
  const name = formatMonth(month);
  return (
    <div className={cardStyles.cardHead}>
      <h2 className={cardStyles.cardTitle} id="month" aria-live="polite">
        {name.charAt(0).toLocaleUpperCase(localeText.locale) + name.slice(1)}
      </h2>
      <nav className={styles.months} aria-label={t.months}>
        <MonthLink month={shiftMonth(month, -1)} label={t.previous} icon={ChevronLeft} />
        <LinkButton to="/campaigns/calendar" search={{}} resetScroll={false} small>
          {t.now}
        </LinkButton>
        <MonthLink month={shiftMonth(month, 1)} label={t.next} icon={ChevronRight} />
      </nav>
    </div>
  );
}

function MonthLink({ month, label, icon }: { month: string; label: string; icon: LucideIcon }) {
  if (!MONTH.test(month)) return null;
  return (
    <Tooltip text={label}>
      <LinkButton
        to="/campaigns/calendar"
        search={{ mes: month }}
        resetScroll={false}
        look="ghost"
        small
        icon={icon}
        className={buttonStyles.onlyIcon}
        aria-label={label}
      />
    </Tooltip>
  );
}

function Month({ calendar }: { calendar: CampaignCalendar }) {
  const narrow = useNarrow();
  const { campaigns, month } = calendar;
  return (
    <>
      {inMonth(calendar).length === 0 && <p className={styles.empty}>{t.empty(formatMonth(month))}</p>}
      {narrow ? <Agenda key={month} calendar={calendar} /> : <MonthGrid key={month} calendar={calendar} />}
      {campaigns.length > 0 && <Legend calendar={calendar} />}
    </>
  );
}

function inMonth({ campaigns, month, today }: CampaignCalendar): CalendarCampaign[] {
  const end = weeksOf(month).at(-1)?.at(-1) ?? today;
  return campaigns.filter((campaign) => {
    const { first, last } = drawn(campaign, today, end);
    return first.slice(0, 7) <= month && last.slice(0, 7) >= month;
  });
}

function factOf(calendar: CampaignCalendar): string {
  const campaigns = inMonth(calendar);
  if (campaigns.length === 0) return t.none;
  return t.fact(campaigns.length, campaigns.filter(({ status }) => status === "scheduled").length);
}
