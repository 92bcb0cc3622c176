import { useQuery } from "@tanstack/react-query";
import { linksQuery, mistralSettingsQuery } from "../../api/agents.ts";
import { connectionsQuery } from "../../api/connections.ts";

export const useMistralSettings = () => useQuery(mistralSettingsQuery);

export function useLinkedAt() {
  const links = useQuery(linksQuery);
  const connections = useQuery(connectionsQuery);
  const names = new Map((connections.data ?? []).map((one) => [one.id, one.name]));
  return (agentId: string, active: boolean): string[] =>
    (links.data?.links ?? [])
      .filter((link) => link.agentId === agentId && link.active === active)
      .flatMap((link) => names.get(link.connectionId) ?? []);
}
