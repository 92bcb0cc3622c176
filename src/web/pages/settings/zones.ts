import { zoneName, zoneOffset } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";

const { cities } = settingsText.zone;

const BRAZIL = Object.keys(cities);

/** Cached: a name takes the browser 0.5 ms. */
const names = new Map<string, string>();

function nameOf(zone: string): string {
  const known = names.get(zone) ?? zoneName(zone);
  names.set(zone, known);
  return known;
}

/** `Buenos Aires` of `America/Argentina/Buenos_Aires`. */
const cityOf = (zone: string) => cities[zone] ?? (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");

/** `Horário de Brasília · São Paulo`. */
export const zoneLabel = (zone: string) => `${nameOf(zone)} · ${cityOf(zone).split(",")[0]}`;

export type ZoneOption = { zone: string; brazil: boolean; name: string; detail: string };

function optionOf(zone: string): ZoneOption {
  const brazil = zone in cities;
  return { zone, brazil, name: nameOf(zone), detail: `${cityOf(zone)} · ${zoneOffset(zone)}` };
}

const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .replace(/[_/]/g, " ")
    .toLowerCase();

const SHOWN = 40;

/** Brazil first; by city, name or IANA name, all words must match. `more`: there are others. */
export function findZones(typed: string): { options: ZoneOption[]; more: boolean } {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const all = [...BRAZIL, ...Intl.supportedValuesOf("timeZone").filter((zone) => !(zone in cities))];
  const found = all.filter((zone) => matches(zone, words));
  return { options: found.slice(0, SHOWN).map(optionOf), more: found.length > SHOWN };
}

function matches(zone: string, words: readonly string[]): boolean {
  const place = plain(`${zone} ${cityOf(zone)}`);
  const left = words.filter((word) => !place.includes(word));
  if (left.length === 0) return true;
  const name = plain(nameOf(zone));
  return left.every((word) => name.includes(word));
}
