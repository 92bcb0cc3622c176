import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

/** All agents that may answer, newest first. */
export const agentsQuery = queryOptions({
  queryKey: ["agents", "list"],
  queryFn: async ({ signal }) =>
    (await api("GET /api/mistral/agents", { signal })).toSorted((a, b) =>
      b.created_at.localeCompare(a.created_at),
    ),
  // Whether there is a key is an answer, not a fault that passes.
  retry: false,
});

/** Which agents answer at which connections. */
export const linksQuery = queryOptions({
  queryKey: ["agents", "links"],
  queryFn: ({ signal }) => api("GET /api/assistants", { signal }),
});
