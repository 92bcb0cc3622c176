import type { LANGUAGE as portuguese, localeText as portugueseText } from "../locale.ts";
import type { Texts } from "../texts.ts";

export const LANGUAGE: typeof portuguese = "en";

/** Months are named: 03/04 is March to one reader, April to another. */
export const localeText: Omit<Texts<typeof portugueseText>, "date" | "shortDate"> &
  Pick<typeof portugueseText, "date" | "shortDate"> = {
  locale: "en-GB",
  plurals: "en",
  date: { day: "numeric", month: "short", year: "numeric" },
  shortDate: { day: "numeric", month: "short" },
  dateTime: (date, time) => `${date}, ${time}`,
  sentence: (weekday, date, time) => `${weekday}, ${date}, at ${time}`,
  yesterday: "yesterday",
  today: "today",
  tomorrow: "tomorrow",
  dayAt: (day, time) => `${day} at ${time}`,
  at: (time) => `at ${time}`,
  onAt: (date, time) => `on ${date} at ${time}`,
  days: (days) => `${days} days`,
  hours: (hours) => `${hours} hours`,
  about: (duration) => `about ${duration}`,
  zone: (name) => name.replace(" Standard Time", " Time"),
  zoneInSentence: (name) => name,
};
