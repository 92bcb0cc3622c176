import { localeText } from "../../messages/locale.ts";

/** Calendar days as the server counts them (`2026-11-19`), which belong to no zone any more: read and written as UTC. */
const short = new Intl.DateTimeFormat(localeText.locale, { ...localeText.shortDate, timeZone: "UTC" });
const weekday = new Intl.DateTimeFormat(localeText.locale, { weekday: "short", timeZone: "UTC" });

/** `16/11`. */
export const shortDay = (day: string) => short.format(new Date(`${day}T00:00:00Z`));

/** `seg., 16/11`. */
export const longDay = (day: string) => `${weekday.format(new Date(`${day}T00:00:00Z`))}, ${shortDay(day)}`;
