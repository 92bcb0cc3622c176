import { useQuery } from "@tanstack/react-query";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { api } from "../../api/call.ts";

type Options = Pick<Dashboard, "options" | "moreBefore">;

/** The newest come with the figures; older ones are requested separately. */
export function useNames(figures: Options | undefined): Dashboard["options"] {
  const all = useQuery({
    // Not under `campaigns`: a running one would refetch all names every second.
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
