import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

export const undoTimeQuery = queryOptions({
  queryKey: ["settings", "undo-time"],
  queryFn: ({ signal }) => api("GET /api/settings/undo-time", { signal }),
});
