import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import type { Campaign, CampaignPage } from "../../../contract/campaigns.ts";
import { campaignsQuery } from "../../api/campaigns.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useShown } from "../../api/use-shown.ts";
import { type CampaignsAddress, campaignsAddress, MOST_PAGES } from "../../routes/campaigns.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";
import { keepCopy } from "../../ui/use-close-on-back.ts";

const SCREEN = "/shell/campaigns";
const route = getRouteApi(SCREEN);

export function useCampaigns() {
  const address = route.useSearch();
  const { busca, filtro, arquivadas, campanha, de, ate, resultado, pagina = 1 } = address;
  const go = useAddress();
  const query = useInfiniteQuery({
    ...campaignsQuery(address),
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(5_000),
  });
  const pages = query.data?.pages;
  const missing = pages !== undefined && pages.length < pagina;
  // Refetches do not count: while a campaign sends, there is always one.
  const ready = query.hasNextPage && !query.isFetchingNextPage && !query.isError && !query.isPlaceholderData;
  const { fetchNextPage } = query;
  useEffect(() => {
    if (missing && ready) void fetchNextPage();
  }, [missing, ready, fetchNextPage]);
  const ask = useCallback((wish: Wish) => go({ ...wish, pagina: undefined }), [go]);
  const clear = useCallback(() => ask(NOTHING), [ask]);
  const asked = { busca, filtro, arquivadas, campanha, de, ate, resultado };
  const shown = useShown(asked, query.isPlaceholderData);
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? null, [pages]);
  return {
    query,
    address: asked,
    shown,
    ask,
    clear,
    more: () => {
      // After an error, or beyond the address's page limit, the address alone fetches nothing.
      if (query.isError || (pages?.length ?? 1) >= MOST_PAGES) void fetchNextPage();
      go({ pagina: (pages?.length ?? 1) + 1 });
    },
    items,
    found: pages?.at(-1)?.found ?? null,
    summary: pages?.[0]?.summary ?? null,
  };
}

export const campaignOnCard = (queries: QueryClient, id: number): Campaign | undefined =>
  queries
    .getQueriesData<InfiniteData<CampaignPage>>({ queryKey: ["campaigns", "list"] })
    .flatMap(([, known]) => known?.pages ?? [])
    .flatMap(({ items }) => items)
    .find((campaign) => campaign.id === id);

const NOTHING = {
  busca: undefined,
  filtro: undefined,
  arquivadas: undefined,
  campanha: undefined,
  de: undefined,
  ate: undefined,
  resultado: undefined,
};

export type Wish = { [N in keyof CampaignsAddress]: CampaignsAddress[N] | undefined };

export function useAddress() {
  const replace = useReplaceSearch(SCREEN, campaignsAddress);
  return useCallback(
    (wish: Wish) => replace((before) => ({ ...before, ...wish }), "detalhes" in wish ? DETAILS : {}),
    [replace],
  );
}

/** Details that were closed, or chosen here, do not go back to the other screen. */
const DETAILS = { state: keepCopy };
