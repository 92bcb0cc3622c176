import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import type { Campaign, CampaignPage } from "../../../contract/campaigns.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useShown } from "../../api/use-shown.ts";
import { type CampaignsAddress, campaignsAddress, listQuery, MOST_PAGES } from "../../routes/campaigns.ts";

const route = getRouteApi("/shell/campaigns");

/** The list as its address asks for it, page by page, and the ways to ask for something else. */
export function useCampaigns() {
  const address = route.useSearch();
  const { busca, filtro, arquivadas, campanha, de, ate, resultado, pagina = 1 } = address;
  const go = useAddress();
  const wanted = listQuery(address);
  const query = useInfiniteQuery({
    queryKey: ["campaigns", "list", wanted],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/campaigns", { query: { ...wanted, ...(pageParam ? { after: pageParam } : {}) }, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(5_000),
  });
  const pages = query.data?.pages;
  const missing = pages !== undefined && pages.length < pagina;
  // Not only while nothing is being fetched: while a campaign sends, the pages shown are asked for anew nearly always.
  const ready = query.hasNextPage && !query.isFetchingNextPage && !query.isError && !query.isPlaceholderData;
  const { fetchNextPage } = query;
  useEffect(() => {
    if (missing && ready) void fetchNextPage();
  }, [missing, ready, fetchNextPage]);
  /** Asks for something else: the pages that were open belong to what was asked before. */
  const ask = useCallback((wish: Wish) => go({ ...wish, pagina: undefined }), [go]);
  const clear = useCallback(() => ask(NOTHING), [ask]);
  const asked = { busca, filtro, arquivadas, campanha, de, ate, resultado };
  const shown = useShown(asked, query.isPlaceholderData);
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? null, [pages]);
  return {
    query,
    address: asked,
    /** Of the address, what the campaigns and sums on the screen are found by. */
    shown,
    ask,
    clear,
    more: () => {
      // After a fault nothing is fetched by itself, and the address may name the page already; of so many it names no more.
      if (query.isError || (pages?.length ?? 1) >= MOST_PAGES) void fetchNextPage();
      go({ pagina: (pages?.length ?? 1) + 1 });
    },
    items,
    // Each page says the sums anew: the last one fetched knows best.
    found: pages?.at(-1)?.found ?? null,
    summary: pages?.[0]?.summary ?? null,
  };
}

/** What a card shows of a campaign, which is enough to begin with. */
export const campaignOnCard = (queries: QueryClient, id: number): Campaign | undefined =>
  queries
    .getQueriesData<InfiniteData<CampaignPage>>({ queryKey: ["campaigns", "list"] })
    .flatMap(([, known]) => known?.pages ?? [])
    .flatMap(({ items }) => items)
    .find((campaign) => campaign.id === id);

const NOTHING = {
  ...{ busca: undefined, filtro: undefined, arquivadas: undefined, campanha: undefined },
  ...{ de: undefined, ate: undefined, resultado: undefined },
};

export type Wish = { [N in keyof CampaignsAddress]: CampaignsAddress[N] | undefined };

/** Changes the address in place: each letter of a search is no step to go back to. */
export function useAddress() {
  const navigate = route.useNavigate();
  return useCallback(
    (wish: Wish) =>
      void navigate({
        search: (before) => campaignsAddress({ ...before, ...wish }),
        // Closed, the details leave a list that one step back leaves.
        state: ({ openedFromOtherScreen }) =>
          openedFromOtherScreen && !("detalhes" in wish) ? { openedFromOtherScreen } : {},
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
}
