import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import type { ContactsAddress } from "../../routes/contacts.ts";

export function useContactLists({ busca: search = "", lista }: ContactsAddress) {
  const query = useInfiniteQuery({
    queryKey: ["contacts", "lists", search, lista],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/contact-lists", {
        query: {
          search,
          limit: 24,
          ...(lista ? { id: lista } : {}),
          ...(pageParam ? { after: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  const pages = query.data?.pages;
  return { ...query, lists: pages?.flatMap((page) => page.items) ?? [], total: pages?.[0]?.total ?? null };
}
