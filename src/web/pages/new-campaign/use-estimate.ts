import { useQuery } from "@tanstack/react-query";
import type { PlanForecast } from "../../../contract/audiences.ts";
import { summaryQuery } from "../../api/summary-query.ts";
import { estimateWords } from "./estimate.ts";
import { forecastWords } from "./forecast-words.ts";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { useConnectionChoice } from "./use-connection-choice.ts";
import { useForecast } from "./use-forecast.ts";

export type Estimate = {
  fact: string;
  course: string;
  shorter: string | null;
  forecast: PlanForecast | null;
};

/** By the number's plan, if it has one; else at the campaign's own pace. */
export function useEstimate(
  form: CampaignFormState,
  { count, question }: Pick<CountedAudience, "count" | "question">,
): Estimate | null {
  const people = count?.gets ?? null;
  const { all, meant } = useConnectionChoice(form.values.connection);
  const scheduled = useQuery(summaryQuery).data?.byStatus.scheduled ?? 0;
  const unbound = scheduled - (all ?? []).reduce((sum, { campaigns }) => sum + campaigns.scheduled, 0);
  const forecast = useForecast(form, question, all ? (meant?.id ?? null) : undefined);
  if (!people || (all && forecast === undefined)) return null;
  if (forecast) return { ...forecastWords(forecast, form.zone), forecast };
  const words = estimateWords(form.values, people, form.zone, new Date(), all ? meant : undefined, unbound);
  return words && { ...words, shorter: null, forecast: null };
}
