import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Connection } from "../../contract/connections.ts";
import { api } from "./call.ts";
import { usePollingWhenDown } from "./events.ts";

/** All connections of the account with their states and codes. */
export const connectionsQuery = queryOptions({
  queryKey: ["connections", "list"],
  queryFn: async ({ signal }) => (await api("GET /api/connections", { signal })).connections,
});

const LIST_MS = 30_000;
const PAIRING_MS = 5_000;
const CODE_MS = 2_000;

/** The list; while the event stream is down it is asked for every 30 s. */
export function useConnections() {
  return useQuery({ ...connectionsQuery, refetchInterval: usePollingWhenDown(LIST_MS) });
}

/** The connection of this device that is being paired; null: none. */
export const usePairingConnection = (deviceId: string | null) =>
  usePairing((each) => each.deviceId === deviceId, deviceId !== null);

/** One connection that is being paired: without the stream every 5 s, and every 2 s until there is a code to scan. */
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

/** Shows a connection as an answer has just told it; what else may have changed is asked for beside, where servers may be slow. */
export function putConnection(queries: QueryClient, connection: Connection): void {
  queries.setQueryData(connectionsQuery.queryKey, (known) =>
    known?.map((each) => (each.id === connection.id ? connection : each)),
  );
  void queries.invalidateQueries({ queryKey: ["connections"] });
}
