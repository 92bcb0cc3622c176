import type { dayBarsText as portuguese } from "../day-bars.ts";
import { counted, formatNumber } from "../format.ts";
import type { Texts } from "../texts.ts";

export const dayBarsText: Texts<typeof portuguese> = {
  today: "today",
  perDay: "Messages a day",
  messages: (day, warm, cold) =>
    `${day}: ${counted(warm + cold, "message", "messages")}, ${formatNumber(cold)} new`,
};
