import { isOptOut } from "../../../domain/opt-out.ts";
import { readNumber, valueAt } from "./own-values.ts";

/** A stranger's program may send a million elements. */
const LIST_MOST = 200;
const EARLIEST_S = Date.UTC(2009, 0) / 1000;
const LATEST_S = Date.UTC(2100, 0) / 1000;

export type Line = string | null | undefined | false;

export function lines(...parts: readonly Line[]): string {
  const said = parts.flatMap((part) => (part ? part.trim() : []));
  return [...new Set(said)].filter((line) => line !== "").join("\n");
}

/** An opt-out word must stand alone, or it would not be recognised. */
export function written(words: string, ...about: readonly Line[]): string {
  return isOptOut(words) ? words : lines(words, ...about);
}

export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.slice(0, LIST_MOST) : [];
}

export function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // A button with unreadable parameters still has its name.
    return null;
  }
}

export function money(amount: number | null, currency: string | null): string | null {
  if (amount === null || amount <= 0 || currency === null || !/^[A-Z]{3}$/.test(currency)) return null;
  const format = new Intl.NumberFormat("pt-BR", { style: "currency", currency });
  return format.format(amount).replaceAll("\u00a0", " ");
}

export function thousandths(value: unknown, currency: string | null): string | null {
  const amount = readNumber(value);
  return amount === null ? null : money(amount / 1000, currency);
}

export function offsetAmount(amount: unknown, currency: string | null): string | null {
  const value = readNumber(valueAt(amount, "value"));
  const offset = readNumber(valueAt(amount, "offset")) ?? 1;
  return value === null || offset <= 0 ? null : money(value / offset, currency);
}

const CLOCK = new Intl.DateTimeFormat("pt-BR", {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "America/Sao_Paulo",
});

/** Unix seconds or milliseconds; the time zone is named, because the reader's may differ. */
export function moment(value: unknown): string | null {
  const number = readNumber(value) ?? 0;
  const seconds = number > 1e11 ? number / 1000 : number;
  if (seconds < EARLIEST_S || seconds > LATEST_S) return null;
  return `${CLOCK.format(seconds * 1000).replace(", ", " às ")} (horário de Brasília)`;
}

export function coordinates(place: unknown): { latitude: number; longitude: number } | null {
  const latitude = valueAt(place, "degreesLatitude");
  const longitude = valueAt(place, "degreesLongitude");
  return isDegree(latitude, 90) && isDegree(longitude, 180) ? { latitude, longitude } : null;
}

export function mapLink(place: unknown): string | null {
  const at = coordinates(place);
  return at && `https://maps.google.com/?q=${at.latitude},${at.longitude}`;
}

const isDegree = (value: unknown, most: number): value is number =>
  typeof value === "number" && Math.abs(value) <= most;
