import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type CampaignsAddress, listQuery } from "../routes/campaigns.ts";
import { api } from "./call.ts";

export const campaignsQuery = (address: CampaignsAddress) => {
  const wanted = listQuery(address);
  return infiniteQueryOptions({
    queryKey: ["campaigns", "list", wanted],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/campaigns", { query: { ...wanted, ...(pageParam ? { after: pageParam } : {}) }, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
};

/** Not under `campaigns`: a forecast per sent message is too much. */
export const calendarQuery = (month: string) =>
  queryOptions({
    queryKey: ["calendar", month],
    queryFn: ({ signal }) => api("GET /api/campaign-calendar", { query: { month }, signal }),
  });

export const campaignQuery = (id: number) =>
  queryOptions({
    queryKey: ["campaigns", "one", id],
    queryFn: ({ signal }) => api("GET /api/campaigns/{id}", { params: { id }, signal }),
  });
