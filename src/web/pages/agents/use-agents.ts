import { queryOptions, useQuery } from "@tanstack/react-query";
import { linksQuery } from "../../api/agents.ts";
import { api } from "../../api/call.ts";
import { connectionsQuery } from "../../api/connections.ts";

export const mistralSettingsQuery = queryOptions({
  queryKey: ["agents", "settings"],
  queryFn: ({ signal }) => api("GET /api/mistral/settings", { signal }),
});

export const useMistralSettings = () => useQuery(mistralSettingsQuery);

/** Names of the connections at which each agent is linked, by its id. */
export function useLinkedAt() {
  const links = useQuery(linksQuery);
  const connections = useQuery(connectionsQuery);
  const names = new Map((connections.data ?? []).map((one) => [one.id, one.name]));
  return (agentId: string, active: boolean): string[] =>
    (links.data?.links ?? [])
      .filter((link) => link.agentId === agentId && link.active === active)
      .flatMap((link) => names.get(link.connectionId) ?? []);
}
