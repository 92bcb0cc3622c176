import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

export const notificationsQuery = queryOptions({
  queryKey: ["settings", "notifications"],
  queryFn: ({ signal }) => api("GET /api/settings/notifications", { signal }),
});
