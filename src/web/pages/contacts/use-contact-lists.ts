import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";

/** The cards, newest first, page by page; with a search, those whose name or contacts match. */
export function useContactLists(search: string) {
  const query = useInfiniteQuery({
    queryKey: ["contacts", "lists", search],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/contact-lists", {
        query: { search, limit: 24, ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  return { ...query, lists: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
