import type { PlanForecast } from "../../../contract/audiences.ts";
import { formatOn } from "../../messages/format.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";

const t = newCampaignText.plan;

export function forecastWords(
  { people: { warm, cold }, endsAt, why, limitedBy, sendingDays, days }: PlanForecast,
  zone: string,
  now = new Date(),
): { fact: string; course: string; shorter: string | null } {
  const fact = t.people(warm + cold, warm, cold);
  if (endsAt === null) return { fact, course: t.why[why ?? "too_far"], shorter: null };
  const budget = Math.max(...days.map((day) => day.budget));
  const end = formatOn(endsAt, zone, now);
  const ends = limitedBy === "budget" ? t.budget(budget, end, sendingDays) : t.ends(end, sendingDays);
  return { fact, course: ends, shorter: limitedBy && t.shorter[limitedBy] };
}
