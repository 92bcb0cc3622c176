import { queryOptions } from "@tanstack/react-query";
import { agentsText as t } from "../messages/agents.ts";
import { ApiError } from "./api-error.ts";
import { api } from "./call.ts";

export const mistralSettingsQuery = queryOptions({
  queryKey: ["agents", "settings"],
  queryFn: ({ signal }) => api("GET /api/mistral/settings", { signal }),
});

/** All agents that may answer, newest first. */
export const agentsQuery = queryOptions({
  queryKey: ["agents", "list"],
  queryFn: async ({ client, signal }) => {
    // Asked without a key it is refused, which the browser's console shows as a fault.
    const { source } = await client.fetchQuery(mistralSettingsQuery);
    if (source === "none") throw new ApiError({ code: "mistral_no_key", text: t.factNoKey, status: 422 });
    const agents = await api("GET /api/mistral/agents", { signal });
    return agents.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  },
  // Whether there is a key is an answer, not a fault that passes.
  retry: false,
});

/** Which agents answer at which connections. */
export const linksQuery = queryOptions({
  queryKey: ["agents", "links"],
  queryFn: ({ signal }) => api("GET /api/assistants", { signal }),
});
