import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { peopleQuery } from "../../api/people.ts";
import type { PeopleAddress } from "../../routes/people.ts";

/** Rows requested before the last loaded one comes into view. */
const AHEAD = 40;

export function usePeople(address: PeopleAddress) {
  const query = useInfiniteQuery({ ...peopleQuery(address), placeholderData: keepPreviousData });
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return {
    query,
    rows,
    total: query.data?.pages[0]?.total ?? null,
    /** Fetches the next page when the end is near; after an error only a press does. */
    see: (to: number) => {
      if (query.hasNextPage && to >= rows.length - AHEAD && !query.isFetchingNextPage && !query.isError)
        void query.fetchNextPage();
    },
  };
}
