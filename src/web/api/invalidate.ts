import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

const askedAgain = new WeakSet<Query>();

/**
 * Invalidates without cancelling a fetch in flight, and refetches after it. If each change cancelled it,
 * answers slower than the changes would never arrive, nor any next page.
 */
export function invalidateQuery(queries: QueryClient, queryKey: QueryKey): void {
  for (const query of queries.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" }))
    if (!askedAgain.has(query)) askOnceMore(queries, query);
  void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

function askOnceMore(queries: QueryClient, query: Query): void {
  askedAgain.add(query);
  const again = () => {
    askedAgain.delete(query);
    if (query.state.fetchStatus !== "idle") askOnceMore(queries, query);
    else void queries.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
  };
  query.promise?.then(again, again);
}
