import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

export const installationQuery = queryOptions({
  queryKey: ["installation"],
  queryFn: ({ signal }) => api("GET /api/installation", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
