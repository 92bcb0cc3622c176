import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { ApiError } from "../../api/api-error.ts";
import { dashboardQuery } from "../../api/dashboard.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useShown } from "../../api/use-shown.ts";
import { type DashboardAddress, dashboardAddress } from "../../routes/dashboard.ts";
import { useStillWanted } from "../../routes/use-still-wanted.ts";

const SCREEN = "/shell/";
const route = getRouteApi(SCREEN);

export function useDashboard() {
  const address = route.useSearch();
  const { campanha, dias = 7, ver } = address;
  const navigate = route.useNavigate();
  const stillWanted = useStillWanted(SCREEN);
  const change = useCallback(
    (wish: (before: DashboardAddress) => Wish) => {
      if (!stillWanted()) return;
      const search = (before: DashboardAddress) => dashboardAddress({ ...before, ...wish(before) });
      void navigate({ search, state: true, replace: true, resetScroll: false });
    },
    [navigate, stillWanted],
  );
  const ask = useCallback((wish: Wish) => change(() => wish), [change]);
  const query = useQuery({
    ...dashboardQuery(address),
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  const gone = campanha !== undefined && query.error instanceof ApiError && query.error.status === 404;
  useEffect(() => {
    // Another campaign may have been chosen since this one was drawn.
    if (gone) change((before) => (before.campanha === campanha ? { campanha: undefined } : {}));
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
