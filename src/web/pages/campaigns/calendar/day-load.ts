import type { CampaignCalendar, NumberDay } from "../../../../contract/campaign-calendar.ts";
import { calendarText } from "../../../messages/calendar.ts";

const t = calendarText.loads;

export type NumberLoad = CampaignCalendar["numbers"][number];

export const messagesOf = ({ sent, predicted }: NumberDay): number => sent + predicted;

export const isOver = ({ wanted, budget }: NumberDay): boolean => budget !== null && wanted > budget;

export function saidOf(day: NumberDay): string {
  const { sent, predicted, cold, wanted, budget } = day;
  const parts = [
    sent > 0 && t.sent(sent),
    predicted > 0 && t.expected(predicted),
    predicted > 0 && budget !== null && t.cold(cold, budget),
    isOver(day) && t.wanted(wanted),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

const MARKS = 3;

export function markedNumbers({ numbers }: CampaignCalendar): NumberLoad[] {
  const sum = ({ days }: NumberLoad) => days.reduce((all, day) => all + messagesOf(day), 0);
  return numbers.toSorted((a, b) => sum(b) - sum(a)).slice(0, MARKS);
}

export const topOf = ({ days }: NumberLoad): number => Math.max(1, ...days.map(messagesOf));
