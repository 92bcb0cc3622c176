import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

export const templatesQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ["templates", "list", search],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/message-templates", {
        query: { skip: pageParam, ...(search ? { search } : {}) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ found }, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < found ? read : null;
    },
    placeholderData: keepPreviousData,
  });

const SUGGESTED = 20;

export const suggestionsQuery = (search: string | null) =>
  queryOptions({
    queryKey: ["templates", "suggestions", search],
    queryFn: ({ signal }) =>
      api("GET /api/message-templates", {
        query: { limit: SUGGESTED, ...(search ? { search } : {}) },
        signal,
      }),
    enabled: search !== null,
    placeholderData: keepPreviousData,
  });
