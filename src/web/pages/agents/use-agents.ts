import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/call.ts";

/** All agents, newest first. */
export function useAgents() {
  return useQuery({
    queryKey: ["agents", "list"],
    queryFn: async ({ signal }) =>
      (await api("GET /api/mistral/agents", { signal })).toSorted((a, b) =>
        b.created_at.localeCompare(a.created_at),
      ),
    // Whether there is a key is an answer, not a fault that passes.
    retry: false,
  });
}

export function useMistralSettings() {
  return useQuery({
    queryKey: ["agents", "settings"],
    queryFn: ({ signal }) => api("GET /api/mistral/settings", { signal }),
  });
}

/** Names of the connections at which each agent is linked, by its id. */
export function useLinkedAt() {
  const links = useQuery({
    queryKey: ["agents", "links"],
    queryFn: ({ signal }) => api("GET /api/assistants", { signal }),
  });
  const connections = useQuery({
    queryKey: ["connections"],
    queryFn: ({ signal }) => api("GET /api/connections", { signal }),
  });
  const names = new Map((connections.data?.connections ?? []).map((one) => [one.id, one.name]));
  return (agentId: string, active: boolean): string[] =>
    (links.data?.links ?? [])
      .filter((link) => link.agentId === agentId && link.active === active)
      .flatMap((link) => names.get(link.connectionId) ?? []);
}
