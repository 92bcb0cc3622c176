import { useQuery } from "@tanstack/react-query";
import { summaryQuery } from "../../api/summary-query.ts";
import { estimateWords } from "./estimate.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { useConnectionChoice } from "./use-connection-choice.ts";

export function useEstimate(form: CampaignFormState, people: number | null) {
  const { all, meant } = useConnectionChoice(form.values.connection);
  const scheduled = useQuery(summaryQuery).data?.byStatus.scheduled ?? 0;
  const unbound = scheduled - (all ?? []).reduce((sum, { campaigns }) => sum + campaigns.scheduled, 0);
  return estimateWords(form.values, people, form.zone, new Date(), all ? meant : undefined, unbound);
}
