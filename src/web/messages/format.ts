import { localeText as t } from "./locale.ts";

/**
 * Formats in the page's language (examples in Portuguese). `zone`: the account's IANA zone, so that all
 * computers show the same time.
 */
const LOCALE = t.locale;
const DASH = "—";

const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const bytesOf = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });

/** `1.250`; nothing → «—». */
export const formatNumber = (value: number | null | undefined) =>
  value === null || value === undefined ? DASH : whole.format(value);

const compact = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });

/** For an axis: `9.500`; short (`5 mil`, `1,5 mi`) if `top` is 10,000 or more. */
export const formatCompact = (value: number, top: number) => (top < 10_000 ? whole : compact).format(value);

/** A share 0–1 as `94,1%`; null → «—». Never rounded up to `100,0%`. */
export const formatShare = (share: number | null | undefined) =>
  share === null || share === undefined
    ? DASH
    : `${oneDecimal.format(share < 1 ? Math.min(share * 100, 99.9) : share * 100)}%`;

/** `0,8`; nothing → «—». */
export const formatDecimal = (value: number | null | undefined) =>
  value === null || value === undefined ? DASH : oneDecimal.format(value);

const typed = new Intl.NumberFormat(LOCALE, { useGrouping: false, maximumFractionDigits: 20 });

/** `0,25`, as typed into a field. */
export const typedDecimal = (value: number) => typed.format(value);

/** `184 kB`, `2,4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytesOf.format(bytes)} B`;
  if (bytes < 1_000_000) return `${bytesOf.format(bytes / 1000)} kB`;
  return `${oneDecimal.format(bytes / 1_000_000)} MB`;
}

const plurals = new Intl.PluralRules(t.plurals);

export const plural = (count: number, one: string, many: string) =>
  plurals.select(count) === "one" ? one : many;

/** `1 contato`, `1.250 contatos`. */
export const counted = (count: number, one: string, many: string) =>
  `${formatNumber(count)} ${plural(count, one, many)}`;

const formats = new Map<string, Intl.DateTimeFormat>();

function dated(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}|${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALE, { timeZone: zone, ...options });
  formats.set(key, made);
  return made;
}

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** `19/11/2026`. */
export const formatDate = (iso: string, zone: string) => dated(zone, t.date).format(new Date(iso));

/** `14:05`. */
export const formatTime = (iso: string | Date, zone: string) => dated(zone, TIME).format(new Date(iso));

/** `19/11/2026 14:05`. */
export const formatDateTime = (iso: string, zone: string) =>
  t.dateTime(formatDate(iso, zone), formatTime(iso, zone));

/** `16/11`. */
export const formatShortDate = (iso: string, zone: string) => dated(zone, t.shortDate).format(new Date(iso));

/** `sexta-feira, 27/11, às 08:00`. */
export const formatSentence = (iso: string, zone: string) =>
  t.sentence(
    dated(zone, { weekday: "long" }).format(new Date(iso)),
    formatShortDate(iso, zone),
    formatTime(iso, zone),
  );

/** `Quinta-feira, 19 de novembro de 2026`. */
export function formatLongDay(date: Date, zone: string): string {
  const text = dated(zone, { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(date);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Calendar days between two instants: 0 today, -1 yesterday. */
function daysFrom(iso: string, now: Date, zone: string): number {
  const day = (at: Date) => Date.parse(new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at));
  return Math.round((day(new Date(iso)) - day(now)) / 86_400_000);
}

/** `hoje às 19:18`, `ontem às 09:30`, `amanhã às 08:00`, else `19/11/2026 14:05`. */
export function formatNear(iso: string, zone: string, now = new Date()): string {
  const near = ({ "-1": t.yesterday, "0": t.today, "1": t.tomorrow } as Record<string, string>)[
    String(daysFrom(iso, now, zone))
  ];
  return near ? t.dayAt(near, formatTime(iso, zone)) : formatDateTime(iso, zone);
}

/** After a verb: `hoje às 19:18`, `amanhã às 08:00`, else `em 19/11/2026 às 15:52`. */
export function formatOn(iso: string, zone: string, now = new Date()): string {
  if (Math.abs(daysFrom(iso, now, zone)) <= 1) return formatNear(iso, zone, now);
  return t.onAt(formatDate(iso, zone), formatTime(iso, zone));
}

/** The same, but today is only `às 15:52`. */
export const formatAt = (iso: string, zone: string, now = new Date()): string =>
  daysFrom(iso, now, zone) === 0 ? t.at(formatTime(iso, zone)) : formatOn(iso, zone, now);

/** `8 horas`, `2 h 40 min`, `45 s`; `rough`: rounded enough for «cerca de». */
export function lengthOf(seconds: number): { text: string; rough: boolean } {
  const exact = (text: string) => ({ text, rough: false });
  if (seconds < 60) return exact(`${Math.max(0, Math.round(seconds))} s`);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return exact(`${minutes} min`);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours >= 48) return { text: t.days(Math.round(hours / 24)), rough: true };
  if (hours >= 6) return { text: t.hours(Math.round(minutes / 60)), rough: true };
  return exact(rest === 0 ? `${hours} h` : `${hours} h ${rest} min`);
}

/** `cerca de 8 horas`, `2 h 40 min`, `45 s`. */
export function formatDuration(seconds: number): string {
  const { text, rough } = lengthOf(seconds);
  return rough ? t.about(text) : text;
}

/** `0:42`. */
export const formatCountdown = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Brazil's own zone names, else the browser's. */
export function zoneName(zone: string): string {
  const name = new Intl.DateTimeFormat(LOCALE, { timeZone: zone, timeZoneName: "longGeneric" })
    .formatToParts(new Date())
    .find((part) => part.type === "timeZoneName")?.value;
  return name === undefined ? zone : t.zone(name);
}

/** `UTC−3`, `UTC+5:30`. */
export function zoneOffset(zone: string): string {
  const offset = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" })
    .formatToParts(new Date())
    .find((part) => part.type === "timeZoneName")?.value;
  return (offset ?? "").replace("GMT", "UTC").replace("-", "−");
}

const months = new Intl.DateTimeFormat(LOCALE, { month: "long", year: "numeric", timeZone: "UTC" });

/** `2026-11` as `novembro de 2026`. */
export const formatMonth = (month: string) => months.format(new Date(`${month}-01T00:00:00Z`));

/** First letter for an avatar; a letter may be several code units. */
export const initial = (name: string) => ([...name.trim()][0] ?? "?").toLocaleUpperCase(LOCALE);
