import { isOptOut } from "../../../domain/opt-out.ts";
import { readNumber, valueAt } from "./own-values.ts";

/** Elements of a list that are read: a stranger's program may send a million. */
const LIST_MOST = 200;
/** Event and payment times outside of these years are wrong. */
const EARLIEST_S = Date.UTC(2009, 0) / 1000;
const LATEST_S = Date.UTC(2100, 0) / 1000;

/** A line, or nothing to say there. */
export type Line = string | null | undefined | false;

/** Joins what there is to say, each thing on a line of its own and once. */
export function lines(...parts: readonly Line[]): string {
  const said = parts.flatMap((part) => (part ? part.trim() : []));
  return [...new Set(said)].filter((line) => line !== "").join("\n");
}

/**
 * What a person wrote, followed by what it is about. A word of leaving stands alone: with more behind it, the opt-out would not be
 * recognised.
 */
export function written(words: string, ...about: readonly Line[]): string {
  return isOptOut(words) ? words : lines(words, ...about);
}

/** The elements of a list; of anything else none. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.slice(0, LIST_MOST) : [];
}

/** A piece of JSON that travels inside a message; null when it is none. */
export function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // It is a stranger's: a button without readable parameters still has its name.
    return null;
  }
}

/** An amount as it is written in Brazil; null where there is none. */
export function money(amount: number | null, currency: string | null): string | null {
  if (amount === null || amount <= 0 || currency === null || !/^[A-Z]{3}$/.test(currency)) return null;
  const format = new Intl.NumberFormat("pt-BR", { style: "currency", currency });
  return format.format(amount).replaceAll("\u00a0", " ");
}

/** WhatsApp's prices are thousandths. */
export function thousandths(value: unknown, currency: string | null): string | null {
  const amount = readNumber(value);
  return amount === null ? null : money(amount / 1000, currency);
}

/** `{ value, offset }`: value divided by offset. */
export function offsetAmount(amount: unknown, currency: string | null): string | null {
  const value = readNumber(valueAt(amount, "value"));
  const offset = readNumber(valueAt(amount, "offset")) ?? 1;
  return value === null || offset <= 0 ? null : money(value / offset, currency);
}

const CLOCK = new Intl.DateTimeFormat("pt-BR", {
  ...{ day: "2-digit", month: "2-digit", year: "numeric", hour: "2-digit", minute: "2-digit" },
  timeZone: "America/Sao_Paulo",
});

/** Seconds or milliseconds since 1970 as a day and an hour. The zone is named, since the reader's may be another. */
export function moment(value: unknown): string | null {
  const number = readNumber(value) ?? 0;
  const seconds = number > 1e11 ? number / 1000 : number;
  if (seconds < EARLIEST_S || seconds > LATEST_S) return null;
  return `${CLOCK.format(seconds * 1000).replace(", ", " às ")} (horário de Brasília)`;
}

/** A link to the place on a map; null without coordinates. */
export function mapLink(place: unknown): string | null {
  const latitude = valueAt(place, "degreesLatitude");
  const longitude = valueAt(place, "degreesLongitude");
  if (!isDegree(latitude, 90) || !isDegree(longitude, 180)) return null;
  return `https://maps.google.com/?q=${latitude},${longitude}`;
}

const isDegree = (value: unknown, most: number): value is number =>
  typeof value === "number" && Math.abs(value) <= most;
