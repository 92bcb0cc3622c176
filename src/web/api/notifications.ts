import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

/** What the person wants to be told, by e-mail and in the browser. */
export const notificationsQuery = queryOptions({
  queryKey: ["settings", "notifications"],
  queryFn: ({ signal }) => api("GET /api/settings/notifications", { signal }),
});
