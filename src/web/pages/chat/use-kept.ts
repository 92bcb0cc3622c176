import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useReducer } from "react";

/**
 * What a person is about to say, kept while other conversations and screens are looked at. Lives with what was fetched, so that the
 * next one to sign in finds nothing of it.
 */
export function useKept<T>(key: QueryKey, empty: T): [T, (change: (before: T) => T) => void] {
  const queries = useQueryClient();
  const { data } = useQuery<T>({
    queryKey: key,
    queryFn: () => empty,
    initialData: empty,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const name = JSON.stringify(key);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const change = useCallback(
    (by: (before: T) => T) => {
      queries.setQueryData<T>(JSON.parse(name) as QueryKey, (before) => by(before ?? empty));
      // The library tells of it a moment later: by then the field would have got its former text back, and the next letter with it.
      draw();
    },
    [queries, name, empty],
  );
  return [data === undefined ? empty : data, change];
}
