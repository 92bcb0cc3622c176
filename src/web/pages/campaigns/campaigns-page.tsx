import { getRouteApi } from "@tanstack/react-router";
import { Megaphone, Plus } from "lucide-react";
import { lazy, Suspense } from "react";
import { CAMPAIGN_STATUSES, type CampaignStatus } from "../../../domain/campaign.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Fault } from "../../components/fault.tsx";
import { Select } from "../../components/inputs.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { Page } from "../../components/page.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { formatNumber } from "../../format.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { commonText } from "../../messages/common.ts";
import { CampaignCard } from "./campaign-card.tsx";
import { CampaignsSkeleton } from "./campaigns-skeleton.tsx";
import { useCampaigns } from "./use-campaigns.ts";
import "./campaigns.css";

const route = getRouteApi("/shell/campaigns");

/** Fetched when it is first opened: the list alone is what most visits need. */
const DetailsFromAddress = lazy(async () => ({
  default: (await import("./details/details-dialog.tsx")).DetailsFromAddress,
}));

/** The product's own order: its five entries first, then those that say more. */
const FILTER: readonly CampaignStatus[] = [
  "draft",
  "scheduled",
  "sending",
  "completed",
  ...CAMPAIGN_STATUSES.filter((each) => !["draft", "scheduled", "sending", "completed"].includes(each)),
];

export function CampaignsPage() {
  const list = useCampaigns();
  const { detalhes } = route.useSearch();
  const none = list.summary?.total === 0;
  return (
    <Page title={t.title} fact={factOf(list.summary?.total)} inline actions={<Create second={none} />}>
      {!none && (
        <div className="toolbar">
          <SearchBox
            label={t.search}
            placeholder={t.searchPlaceholder}
            value={list.search}
            onChange={list.setSearch}
          />
          <div className="wrap">
            <Select
              label={t.filter}
              hiddenLabel
              value={list.filter ?? ""}
              onChange={({ target }) => list.setFilter(FILTER.find((each) => each === target.value))}
              options={[
                { value: "", label: t.all },
                ...FILTER.map((each) => ({ value: each, label: t.status[each] })),
              ]}
            />
          </div>
        </div>
      )}
      <Cards list={list} />
      {detalhes && (
        <Suspense fallback={null}>
          <DetailsFromAddress />
        </Suspense>
      )}
    </Page>
  );
}

type List = ReturnType<typeof useCampaigns>;

function Cards({ list }: { list: List }) {
  const { query, items } = list;
  if (query.isError && !items)
    return (
      <Fault
        title={t.listFailed}
        error={query.error}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (!items) return <CampaignsSkeleton />;
  if (items.length === 0) return list.summary?.total === 0 ? <NoCampaigns /> : <NothingFound list={list} />;
  return (
    <>
      {query.isRefetchError && (
        <div className="mb-4">
          <Fault title={t.listFailed} error={query.error} onRetry={() => void query.refetch()} />
        </div>
      )}
      <ul className="camps" aria-label={t.cards} aria-busy={query.isPlaceholderData}>
        {items.map((campaign) => (
          <CampaignCard key={campaign.id} campaign={campaign} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className="camps-more">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t.more}
          </Button>
        </div>
      )}
    </>
  );
}

/** While the page is empty its own button is the primary one. */
function Create({ second }: { second: boolean }) {
  return (
    <LinkButton to="/campaigns/new" look={second ? "secondary" : "primary"} icon={Plus}>
      {t.create}
    </LinkButton>
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
  const status = list.filter ? t.status[list.filter] : "";
  const text = !list.search
    ? t.notFoundStatus(status)
    : list.filter
      ? t.notFoundBoth(list.search, status)
      : t.notFound(list.search);
  return (
    <EmptyState icon={Megaphone} title={t.empty} text={text}>
      <Button onClick={list.clear}>{list.search ? commonText.clearSearch : t.showAll}</Button>
    </EmptyState>
  );
}

function factOf(total: number | undefined) {
  if (total === undefined) return " ";
  if (total === 0) return t.none;
  return total === 1 ? t.one : t.count(formatNumber(total));
}
