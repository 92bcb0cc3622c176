import { useQuery } from "@tanstack/react-query";
import type { Answer } from "../api/call.ts";
import { installationQuery } from "../api/installation.ts";

/** Changed from a terminal, without events: poll, faster while a notice is shown. */
const SHOWN_MS = 15_000;
const SELDOM_MS = 60_000;

export type Installation = Answer<"GET /api/installation">;

export function useInstallation() {
  return useQuery({
    ...installationQuery,
    refetchInterval: ({ state: { data } }) =>
      data?.restored || data?.diskLow || data?.idle ? SHOWN_MS : SELDOM_MS,
  }).data;
}
