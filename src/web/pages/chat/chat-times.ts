import { dayIn, daysBefore } from "../../lib/calendar-day.ts";
import { chatText } from "../../messages/chat.ts";
import { commonText } from "../../messages/common.ts";
import { formatDate, formatNear, formatShortDate, formatTime } from "../../messages/format.ts";

type Near = "today" | "yesterday" | "thisYear" | "before";

function nearness(iso: string, zone: string, now: Date): Near {
  const day = dayIn(zone, new Date(iso));
  const today = dayIn(zone, now);
  if (day === today) return "today";
  if (day === daysBefore(today, 1)) return "yesterday";
  return day.slice(0, 4) === today.slice(0, 4) ? "thisYear" : "before";
}

/** Short time: `16:38`, `ontem`, `17/11`, `19/11/2025`. */
export function listTime(iso: string, zone: string, now = new Date()): string {
  const near = nearness(iso, zone, now);
  if (near === "today") return formatTime(iso, zone);
  if (near === "yesterday") return commonText.yesterday;
  return near === "thisYear" ? formatShortDate(iso, zone) : formatDate(iso, zone);
}

/** Day heading: `Hoje`, `Ontem`, `17/11/2026`. */
export function dayName(iso: string, zone: string, now = new Date()): string {
  const near = nearness(iso, zone, now);
  if (near === "today") return chatText.messages.today;
  if (near === "yesterday") return chatText.messages.yesterday;
  return formatDate(iso, zone);
}

/** After «até»: `16:50` today, else `amanhã às 08:00`, `19/11/2026 14:05`. */
export const untilTime = (iso: string, zone: string, now = new Date()) =>
  nearness(iso, zone, now) === "today" ? formatTime(iso, zone) : formatNear(iso, zone, now);
