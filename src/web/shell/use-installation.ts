import { useQuery } from "@tanstack/react-query";
import { api } from "../api/call.ts";

/** Released at a terminal, and room made on a disk, which tells no page: asked again while either is shown, and seldom otherwise. */
const SHOWN_MS = 15_000;
const SELDOM_MS = 5 * 60_000;

/** What stands above every screen, of the installation as a whole; undefined until it is known. */
export function useInstallation() {
  return useQuery({
    queryKey: ["installation"],
    queryFn: ({ signal }) => api("GET /api/installation", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.restored || state.data?.diskLow ? SHOWN_MS : SELDOM_MS),
  }).data;
}
