import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

const askedAgain = new WeakSet<Query>();

/**
 * Asks anew for what is shown of something that changed. An answer on its way may be older than the change, but it is let arrive, and
 * asked for once more then: where answers take longer than changes are apart, none would come while they last, nor any next page.
 */
export function askAnew(queries: QueryClient, queryKey: QueryKey): void {
  for (const query of queries.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" })) {
    if (askedAgain.has(query)) continue;
    askedAgain.add(query);
    const again = () => {
      askedAgain.delete(query);
      void queries.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    query.promise?.then(again, again);
  }
  void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
