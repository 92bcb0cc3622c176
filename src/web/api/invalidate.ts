import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

const askedAgain = new WeakSet<Query>();

/**
 * Asks anew for what is shown of something that changed. An answer on its way may be older than the change, but it is let arrive, and
 * asked for once more then: where answers take longer than changes are apart, none would come while they last, nor any next page.
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
    // A next page that was asked for has taken its place, and is let arrive as well.
    if (query.state.fetchStatus !== "idle") askOnceMore(queries, query);
    else void queries.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
  };
  query.promise?.then(again, again);
}
