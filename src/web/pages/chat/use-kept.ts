import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useReducer } from "react";

/** Drafts in the query cache survive navigation; the next user does not see them. */
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
      // The cache notifies later: without a render now, the field would lose the last letters.
      draw();
    },
    [queries, name, empty],
  );
  return [data === undefined ? empty : data, change];
}
