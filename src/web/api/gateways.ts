import { queryOptions } from "@tanstack/react-query";
import { api } from "./call.ts";

// Under `connections`, whose events cover instances.
export const gatewaysQuery = queryOptions({
  queryKey: ["connections", "gateways"],
  queryFn: ({ signal }) => api("GET /api/gateways", { signal }),
});
