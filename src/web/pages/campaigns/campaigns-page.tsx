import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import { CalendarDays, Megaphone, Plus } from "lucide-react";
import { lazy, memo, Suspense, useDeferredValue } from "react";
import type { CampaignPage } from "../../../contract/campaigns.ts";
import { calendarText } from "../../messages/calendar.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber } from "../../messages/format.ts";
import cardStyles from "../../ui/card.module.css";
import { ClearButton } from "../../ui/clear-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNotice, QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { Page } from "../../ui/page.tsx";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { CampaignCard } from "./campaign-card.tsx";
import { CampaignFilters } from "./campaign-filters.tsx";
import styles from "./campaigns.module.css";
import { CampaignsSkeleton } from "./campaigns-skeleton.tsx";
import { FoundFigures } from "./found-figures.tsx";
import { useCampaigns } from "./use-campaigns.ts";
import { useView, type View } from "./use-view.ts";
import { ViewSwitch } from "./view-switch.tsx";

const route = getRouteApi("/shell/campaigns");

const DetailsFromAddress = lazy(async () => ({
  default: (await import("./details/details-dialog.tsx")).DetailsFromAddress,
}));

export function CampaignsPage() {
  const list = useCampaigns();
  const { detalhes } = route.useSearch();
  const [view, setView] = useView();
  const none = list.summary?.total === 0 && list.summary.archived === 0;
  return (
    <Page title={t.title} fact={factOf(list.summary?.total)} actions={<Actions second={none} />}>
      {!none && (
        <CampaignFilters list={list}>
          <ViewSwitch view={view} onChange={setView} />
        </CampaignFilters>
      )}
      {!none && <FoundFigures list={list} />}
      <Cards list={list} view={view} />
      {detalhes && (
        <Suspense fallback={null}>
          <DetailsFromAddress />
        </Suspense>
      )}
    </Page>
  );
}

type List = ReturnType<typeof useCampaigns>;

function Cards({ list, view }: { list: List; view: View }) {
  const { query } = list;
  const items = useDeferredValue(list.items);
  const old = useRefetchError(query);
  if (query.isError && !items) return <QueryError title={t.listFailed} query={query} />;
  // The previous search was empty; this one may not be.
  if (!items || (items.length === 0 && query.isPlaceholderData)) return <CampaignsSkeleton />;
  if (items.length === 0)
    return list.summary && list.summary.total + list.summary.archived === 0 ? (
      <NoCampaigns />
    ) : (
      <NothingFound list={list} />
    );
  return (
    <>
      {old && (
        <div className={layoutStyles.below4}>
          <ErrorNotice title={t.listFailed} error={query.error} onRetry={() => void query.refetch()} />
        </div>
      )}
      <ul
        className={clsx(cardStyles.tiles, styles.camps, view === "list" && styles.asList)}
        data-ui={view === "list" ? "as-list" : undefined}
        aria-label={t.cards}
        aria-busy={query.isPlaceholderData}
      >
        <EachCard items={items} />
      </ul>
      <MoreButton
        query={query}
        failed={t.listFailed}
        label={t.more}
        className={clsx(layoutStyles.centre, layoutStyles.top5)}
        onMore={list.more}
      />
    </>
  );
}

const EachCard = memo(({ items }: { items: CampaignPage["items"] }) =>
  items.map((campaign) => <CampaignCard key={campaign.id} campaign={campaign} />),
);

function Actions({ second }: { second: boolean }) {
  return (
    <>
      <LinkButton to="/campaigns/calendar" icon={CalendarDays}>
        {calendarText.open}
      </LinkButton>
      <LinkButton to="/campaigns/new" look={second ? "secondary" : "primary"} icon={Plus}>
        {t.create}
      </LinkButton>
    </>
  );
}

function NoCampaigns() {
  return (
    <EmptyState icon={Megaphone} title={t.empty} text={t.emptyText}>
      <LinkButton to="/campaigns/new" look="primary">
        {t.create}
      </LinkButton>
      <LinkButton to="/contacts">{t.importContacts}</LinkButton>
    </EmptyState>
  );
}

function NothingFound({ list }: { list: List }) {
  const { busca, filtro, arquivadas, campanha, de, ate, resultado } = list.address;
  if (!(busca || filtro || arquivadas || campanha || de || ate || resultado))
    return (
      <EmptyState found icon={Megaphone} title={t.empty} text={t.allArchived}>
        <ClearButton onClear={() => list.ask({ arquivadas: true })}>{t.showArchived}</ClearButton>
      </EmptyState>
    );
  const status = filtro ? t.status[filtro] : "";
  const more = campanha || de || ate || resultado;
  const text = more
    ? t.notFoundFilters
    : arquivadas && !busca
      ? t.notFoundArchived
      : !busca
        ? t.notFoundStatus(status)
        : filtro
          ? t.notFoundBoth(busca, status)
          : t.notFound(busca);
  return (
    <EmptyState found icon={Megaphone} title={t.empty} text={text}>
      <ClearButton onClear={list.clear}>
        {more ? t.clearFilters : busca ? commonText.clearSearch : t.showAll}
      </ClearButton>
    </EmptyState>
  );
}

function factOf(total: number | undefined) {
  if (total === undefined) return " ";
  if (total === 0) return t.none;
  return total === 1 ? t.one : t.count(formatNumber(total));
}
