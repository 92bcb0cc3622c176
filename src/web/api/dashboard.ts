import { queryOptions } from "@tanstack/react-query";
import type { DashboardAddress } from "../routes/dashboard.ts";
import { api } from "./call.ts";

export const dashboardQuery = ({ campanha, dias }: DashboardAddress) =>
  queryOptions({
    queryKey: ["campaigns", "dashboard", campanha ?? 0, dias ?? 7],
    queryFn: ({ signal }) =>
      api("GET /api/dashboard", {
        query: { campaign: campanha, ...(dias ? { days: `${dias}` } : {}) },
        signal,
      }),
  });
