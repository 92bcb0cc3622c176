import type { Language } from "../../contract/accounts.ts";

/** The language of this build. The page is built once for each; `src/web/messages/en` stands in for these files in the English one. */
export const LANGUAGE: Language = "pt-BR";

type DateFields = Intl.DateTimeFormatOptions;

/** How numbers and dates are written, and the words around them. */
export const localeText = {
  locale: "pt-BR",
  // Portugal's rule: Brazil's, as browsers have it, says «0 contato» and is not what anybody writes.
  plurals: "pt-PT",
  date: { day: "2-digit", month: "2-digit", year: "numeric" } as DateFields,
  shortDate: { day: "2-digit", month: "2-digit" } as DateFields,
  dateTime: (date: string, time: string) => `${date} ${time}`,
  sentence: (weekday: string, date: string, time: string) => `${weekday}, ${date}, às ${time}`,
  yesterday: "ontem",
  today: "hoje",
  tomorrow: "amanhã",
  dayAt: (day: string, time: string) => `${day} às ${time}`,
  at: (time: string) => `às ${time}`,
  onAt: (date: string, time: string) => `em ${date} às ${time}`,
  days: (days: number) => `${days} dias`,
  hours: (hours: number) => `${hours} horas`,
  about: (duration: string) => `cerca de ${duration}`,
  // Where no clock is ever changed the browser says «Padrão», which nobody does.
  zone: (name: string) => name.replace("Horário Padrão ", "Horário "),
  zoneInSentence: (name: string) => name.replace(/^Horário/, "horário"),
};
