import { useQuery } from "@tanstack/react-query";
import { type Answer, api } from "../api/call.ts";

/** Changed from a terminal, without events: poll, faster while a notice is shown. */
const SHOWN_MS = 15_000;
const SELDOM_MS = 60_000;

export type Installation = Answer<"GET /api/installation">;

export function useInstallation() {
  return useQuery({
    queryKey: ["installation"],
    queryFn: ({ signal }) => api("GET /api/installation", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) =>
      data?.restored || data?.diskLow || data?.idle ? SHOWN_MS : SELDOM_MS,
  }).data;
}
