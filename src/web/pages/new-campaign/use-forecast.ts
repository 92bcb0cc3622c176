import { useQuery } from "@tanstack/react-query";
import type { AudienceQuestion, PlanForecast } from "../../../contract/audiences.ts";
import { forecastQuery } from "../../api/segments.ts";
import { usePaused } from "../../lib/use-paused.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { meantInstant } from "./wall-time.ts";

const whole = (typed: string) => (/^\d{1,5}$/.test(typed.trim()) ? Number(typed) : 0);

/** Undefined until known; null: the number has no plan. */
export function useForecast(
  { values, zone }: CampaignFormState,
  question: AudienceQuestion | null,
  connectionId: number | null | undefined,
): PlanForecast | null | undefined {
  const start = values.when === "at" ? meantInstant(values.date, values.time, zone, new Date()) : null;
  const asked = question &&
    connectionId != null && {
      ...question,
      connectionId,
      intervalS: whole(values.intervalS),
      extraS: whole(values.extraS),
      startsAt: start?.ok ? start.at.toISOString() : null,
    };
  const paused = usePaused(JSON.stringify(asked || null));
  const { data, error } = useQuery(forecastQuery(JSON.parse(paused)));
  if (connectionId === null || error !== null) return null;
  return data === null ? undefined : data?.forecast;
}
