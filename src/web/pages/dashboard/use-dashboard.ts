import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { ApiError } from "../../api/api-error.ts";
import { dashboardQuery } from "../../api/dashboard.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useShown } from "../../api/use-shown.ts";
import { type DashboardAddress, dashboardAddress } from "../../routes/dashboard.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";

const SCREEN = "/shell/";
const route = getRouteApi(SCREEN);

export function useDashboard() {
  const address = route.useSearch();
  const { campanha, dias = 7, ver } = address;
  const change = useReplaceSearch(SCREEN, dashboardAddress);
  const ask = useCallback((wish: Wish) => change((before) => ({ ...before, ...wish })), [change]);
  const query = useQuery({
    ...dashboardQuery(address),
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  const gone = campanha !== undefined && query.error instanceof ApiError && query.error.status === 404;
  useEffect(() => {
    // Another campaign may have been chosen since this one was drawn.
    if (gone)
      change(({ campanha: now, ...before }) => (now === campanha ? before : { ...before, campanha: now }));
  }, [gone, campanha, change]);
  const campaign = useShown(campanha, query.isPlaceholderData);
  return {
    query,
    campaign,
    wanted: { campaign: campanha, span: dias },
    view: ver ?? "grafico",
    ask,
  } as const;
}

type Wish = { [N in keyof DashboardAddress]?: DashboardAddress[N] | undefined };
