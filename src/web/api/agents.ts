import { queryOptions } from "@tanstack/react-query";
import { errorsText } from "../messages/errors.ts";
import { ApiError } from "./api-error.ts";
import { api } from "./call.ts";

export const mistralSettingsQuery = queryOptions({
  queryKey: ["agents", "settings"],
  queryFn: ({ signal }) => api("GET /api/mistral/settings", { signal }),
});

export const agentsQuery = queryOptions({
  queryKey: ["agents", "list"],
  queryFn: async ({ client, signal }) => {
    // Without a key the call is refused, and the browser's console would log an error.
    const { source } = await client.fetchQuery(mistralSettingsQuery);
    if (source === "none")
      throw new ApiError({ code: "mistral_no_key", text: errorsText.noMistralKey, status: 422 });
    const agents = await api("GET /api/mistral/agents", { signal });
    return agents.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  },
  retry: false,
});

export const linksQuery = queryOptions({
  queryKey: ["agents", "links"],
  queryFn: ({ signal }) => api("GET /api/assistants", { signal }),
});
