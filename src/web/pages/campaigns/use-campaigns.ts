import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import type { CampaignStatus } from "../../../domain/campaign.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import type { CampaignsAddress } from "./address.ts";

const route = getRouteApi("/shell/campaigns");

/** The list as its address asks for it, page by page, and the ways to ask for something else. */
export function useCampaigns() {
  const { busca, filtro } = route.useSearch();
  const go = useAddress();
  const query = useInfiniteQuery({
    queryKey: ["campaigns", "list", busca ?? "", filtro ?? ""],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/campaigns", {
        query: { search: busca, status: filtro, ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(5_000),
  });
  const setSearch = useCallback((words: string) => go({ busca: words || undefined }), [go]);
  const setFilter = useCallback((status: CampaignStatus | undefined) => go({ filtro: status }), [go]);
  const clear = useCallback(() => go({ busca: undefined, filtro: undefined }), [go]);
  return {
    query,
    search: busca ?? "",
    filter: filtro,
    setSearch,
    setFilter,
    clear,
    items: query.data?.pages.flatMap((page) => page.items) ?? null,
    summary: query.data?.pages[0]?.summary ?? null,
  };
}

type Wish = { [N in keyof CampaignsAddress]: CampaignsAddress[N] | undefined };

/** Changes the address in place: each letter of a search is no step to go back to. */
export function useAddress() {
  const navigate = route.useNavigate();
  return useCallback(
    (wish: Wish) =>
      void navigate({
        search: (before) => stated({ ...before, ...wish }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
}

/** Without the entries that say nothing. */
function stated(wish: Wish): CampaignsAddress {
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
}
