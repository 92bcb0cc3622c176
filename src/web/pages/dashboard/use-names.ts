import { useQuery } from "@tanstack/react-query";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { api } from "../../api/call.ts";

type Options = Pick<Dashboard, "options" | "moreBefore">;

/** The campaigns to choose from, newest first: the newest come, and change, with the figures; where there are older ones they are asked for. */
export function useNames(figures: Options | undefined): Dashboard["options"] {
  const all = useQuery({
    // Not under `campaigns`, or a running one would have all of them asked for every second.
    queryKey: ["names of campaigns"],
    queryFn: ({ signal }) => api("GET /api/dashboard/campaigns", { signal }),
    enabled: typeof figures?.moreBefore === "number",
    staleTime: 60_000,
  });
  if (!figures) return [];
  const { options, moreBefore } = figures;
  if (moreBefore === null || !all.data) return options;
  return [
    ...options.filter(({ id }) => id >= moreBefore),
    ...all.data.items.filter(({ id }) => id < moreBefore),
  ];
}
