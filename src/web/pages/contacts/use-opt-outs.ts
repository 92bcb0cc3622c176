import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/call.ts";

/** People who want no campaigns, newest first, page by page. Under the topic of contacts, which tells of every change. */
export function useOptOuts(search: string) {
  const query = useInfiniteQuery({
    queryKey: ["contacts", "opt-outs", search],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/opt-outs", {
        query: { ...(search === "" ? {} : { search }), ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.pages ?? [];
  return { ...query, people: pages.flatMap((page) => page.optOuts), total: pages[0]?.total ?? 0 };
}

/** After a change of ours: lists show who wants no campaigns, too. */
export function useContactsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["contacts"] });
}
