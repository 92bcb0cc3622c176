import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

/** How many campaigns there are, and when the running ones end: for sidebar and header. */
export const summaryQuery = queryOptions({
  queryKey: ["campaigns", "summary"],
  queryFn: ({ signal }) => api("GET /api/campaign-summary", { signal }),
});
