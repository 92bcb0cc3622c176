import type { Language } from "../../contract/accounts.ts";

/**
 * Language of this build: the page is built once per language; the English build takes `src/web/messages/en`
 * instead.
 */
export const LANGUAGE: Language = "pt-BR";

type DateFields = Intl.DateTimeFormatOptions;

export const localeText = {
  locale: "pt-BR",
  // Browsers' pt-BR rule gives «0 contato»; Portugal's gives the usual plural.
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
  // Browsers add «Padrão» to zones without daylight saving; Brazilians do not.
  zone: (name: string) => name.replace("Horário Padrão ", "Horário "),
  zoneInSentence: (name: string) => name.replace(/^Horário/, "horário"),
};
