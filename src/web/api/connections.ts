import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Connection } from "../../contract/connections.ts";
import { api } from "./call.ts";
import { usePollingWhenDown } from "./events.ts";

export const connectionsQuery = queryOptions({
  queryKey: ["connections", "list"],
  queryFn: async ({ signal }) => (await api("GET /api/connections", { signal })).connections,
});

/** Under `connections`, whose events cover it. */
export const planQuery = (id: number) =>
  queryOptions({
    queryKey: ["connections", "plan", id],
    queryFn: ({ signal }) => api("GET /api/connections/{id}/plan", { params: { id }, signal }),
  });

const LIST_MS = 30_000;
const PAIRING_MS = 5_000;
const CODE_MS = 2_000;

export function useConnections() {
  return useQuery({ ...connectionsQuery, refetchInterval: usePollingWhenDown(LIST_MS) });
}

export const usePairingConnection = (deviceId: string | null) =>
  usePairing((each) => each.deviceId === deviceId, deviceId !== null);

/**
 * A connection being paired. Without the stream it is polled every 5 s, and every 2 s until there is a code.
 */
export function usePairing(isIt: (connection: Connection) => boolean, enabled = true): Connection | null {
  const polling = usePollingWhenDown(PAIRING_MS);
  const query = useQuery({
    ...connectionsQuery,
    enabled,
    refetchInterval: ({ state }) => {
      const found = state.data?.find(isIt);
      return polling && !found?.qr && found?.state !== "connected" ? CODE_MS : polling;
    },
  });
  return query.data?.find(isIt) ?? null;
}

export function putConnection(queries: QueryClient, connection: Connection): void {
  queries.setQueryData(connectionsQuery.queryKey, (known) =>
    known?.map((each) => (each.id === connection.id ? connection : each)),
  );
  void queries.invalidateQueries({ queryKey: ["connections"] });
}
