import { localeText } from "../messages/locale.ts";
import { fullDay } from "./calendar-day.ts";

/** English days name the month: 03/04 is ambiguous. */
const NAMES_MONTHS = localeText.date.month === "short";
const ISO = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" })
    .format(Date.UTC(2026, month, 1))
    .toLowerCase(),
);

/** `2026-11-27`; null if no valid day. */
export function readDay(typed: string): string | null {
  const text = typed.trim();
  const iso = ISO.exec(text);
  if (iso) return dayOf(iso[1], iso[2], iso[3]);
  if (NAMES_MONTHS) return readNamedDay(text.toLowerCase());
  const parts =
    /^(\d{1,2})[/. -](\d{1,2})[/. -](\d{4}|\d{2})$/.exec(text) ?? /^(\d{2})(\d{2})(\d{4})$/.exec(text);
  return parts && dayOf(parts[3], parts[2], parts[1]);
}

function readNamedDay(text: string): string | null {
  const first = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3})[a-z]*\.?,?[ -](\d{4})$/.exec(text);
  if (first) return dayOf(first[3], monthOf(first[2]), first[1]);
  const second = /^([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text);
  return second && dayOf(second[3], monthOf(second[1]), second[2]);
}

const monthOf = (name = "") => String(MONTHS.indexOf(name) + 1);

function dayOf(year = "", month = "", day = ""): string | null {
  const whole = [year.padStart(4, "20"), month.padStart(2, "0"), day.padStart(2, "0")].join("-");
  const at = new Date(`${whole}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(whole) ? whole : null;
}

/** An invalid day stays as typed. */
export const writtenDay = (day: string): string => (readDay(day) === day ? fullDay(day) : day);

/** `08:00` from `8`, `8h30`, `0830` or `8:30 pm`; null if invalid. */
export function readTime(typed: string): string | null {
  const text = typed.trim().toLowerCase();
  const parts = /^(\d{1,2})(?:[:h. ]?(\d{2}))?(?::00)? ?h?(?:oras?)? ?(am|pm)?$/.exec(text);
  if (!parts) return null;
  const [, hour = "", minute = "00", half] = parts;
  const hours = half ? (Number(hour) % 12) + (half === "pm" ? 12 : 0) : Number(hour);
  if (hours > 23 || Number(minute) > 59 || (half && (Number(hour) < 1 || Number(hour) > 12))) return null;
  return `${String(hours).padStart(2, "0")}:${minute}`;
}
