import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/call.ts";

/** Settings have no events: refetched on each opening. */

export const sessionsQuery = queryOptions({
  queryKey: ["settings", "sessions"],
  queryFn: async ({ signal }) => (await api("GET /api/settings/sessions", { signal })).sessions,
});

export const keysQuery = queryOptions({
  queryKey: ["settings", "keys"],
  queryFn: async ({ signal }) => (await api("GET /api/settings/api-keys", { signal })).keys,
});

export const usageQuery = queryOptions({
  queryKey: ["settings", "usage"],
  queryFn: ({ signal }) => api("GET /api/settings/usage", { signal }),
});

export const weeklyLimitQuery = queryOptions({
  queryKey: ["settings", "weekly-limit"],
  queryFn: ({ signal }) => api("GET /api/settings/weekly-limit", { signal }),
});

export const optOutConfirmationQuery = queryOptions({
  queryKey: ["settings", "opt-out-confirmation"],
  queryFn: ({ signal }) => api("GET /api/settings/opt-out-confirmation", { signal }),
});
