import { useQuery } from "@tanstack/react-query";
import { type Answer, api } from "../api/call.ts";

/** All of it changes at a terminal, which tells no page: asked again soon while something is shown, and now and then otherwise. */
const SHOWN_MS = 15_000;
const SELDOM_MS = 60_000;

export type Installation = Answer<"GET /api/installation">;

/** What stands above every screen, of the installation as a whole; undefined until it is known. */
export function useInstallation() {
  return useQuery({
    queryKey: ["installation"],
    queryFn: ({ signal }) => api("GET /api/installation", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) =>
      data?.restored || data?.diskLow || data?.idle ? SHOWN_MS : SELDOM_MS,
  }).data;
}
