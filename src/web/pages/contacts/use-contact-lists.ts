import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { contactListsQuery } from "../../api/contacts.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import type { ContactsAddress } from "../../routes/contacts.ts";

export function useContactLists(address: ContactsAddress) {
  const query = useInfiniteQuery({
    ...contactListsQuery(address),
    placeholderData: keepPreviousData,
    refetchInterval: usePollingWhenDown(30_000),
  });
  const pages = query.data?.pages;
  return { ...query, lists: pages?.flatMap((page) => page.items) ?? [], total: pages?.[0]?.total ?? null };
}
