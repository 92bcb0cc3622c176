import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";

const route = getRouteApi("/shell/");

/** The figures of all campaigns, or of the one that the address names. */
export function useDashboard() {
  const { campanha } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (id: number | undefined) =>
    void navigate({ search: id ? { campanha: id } : {}, replace: true, resetScroll: false });
  const query = useQuery({
    queryKey: ["campaigns", "dashboard", campanha ?? 0],
    queryFn: ({ signal }) => api("GET /api/dashboard", { query: { campaign: campanha }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  const gone = campanha !== undefined && query.error instanceof ApiError && query.error.status === 404;
  useEffect(() => {
    // A campaign that is not there (any more) leaves nothing to choose in its place but all of them.
    if (gone) void navigate({ search: {}, replace: true });
  }, [gone, navigate]);
  return { query, campaign: campanha, choose };
}
