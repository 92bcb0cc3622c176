import { useQueryClient } from "@tanstack/react-query";
import type { NumberPlan, PlanRisk } from "../../../domain/number-plan.ts";
import { api } from "../../api/call.ts";
import { planQuery } from "../../api/connections.ts";

/** Throws `plan_risky` until its risks are accepted. */
export function useStorePlan(id: number) {
  const queries = useQueryClient();
  return async (plan: NumberPlan | null, accepts: PlanRisk[] = []) => {
    const stored = await api("PUT /api/connections/{id}/plan", { params: { id }, body: { plan, accepts } });
    queries.setQueryData(planQuery(id).queryKey, stored);
  };
}
