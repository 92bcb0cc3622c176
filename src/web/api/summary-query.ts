import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

export const summaryQuery = queryOptions({
  queryKey: ["campaigns", "summary"],
  queryFn: ({ signal }) => api("GET /api/campaign-summary", { signal }),
});
