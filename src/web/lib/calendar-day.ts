import { localeText } from "../messages/locale.ts";

/** Calendar days of the server (`2026-11-19`) have no zone any more: parsed and formatted as UTC. */
const written = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(localeText.locale, { ...options, timeZone: "UTC" });
const short = written(localeText.shortDate);
const whole = written(localeText.date);
const weekday = written({ weekday: "short" });
const wholeWeekday = written({ weekday: "long" });

const instant = (day: string) => new Date(`${day}T00:00:00Z`);

/** `16/11`. */
export const shortDay = (day: string) => short.format(instant(day));

/** `seg., 16/11`. */
export const longDay = (day: string) => `${weekday.format(instant(day))}, ${shortDay(day)}`;

/** `segunda-feira`. */
export const weekdayOf = (day: string) => wholeWeekday.format(instant(day));

/** `16/11/2026`. */
export const fullDay = (day: string) => whole.format(instant(day));

const calendars = new Map<string, Intl.DateTimeFormat>();

export function dayIn(zone: string, now: Date): string {
  const calendar = calendars.get(zone) ?? new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  calendars.set(zone, calendar);
  return calendar.format(now);
}

export const daysBefore = (day: string, count: number) =>
  new Date(instant(day).getTime() - count * 86_400_000).toISOString().slice(0, 10);
