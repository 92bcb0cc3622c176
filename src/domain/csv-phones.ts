import { isAreaCodeHeader, isCountryCodeHeader, isPhoneLabelHeader, phoneTags } from "./csv-header.ts";
import { readPhone } from "./phone-foreign.ts";
import { joinCodes, splitPhones } from "./split-phone.ts";

export type PhoneLayout = {
  phones: readonly number[];
  /** So many of `phones` are called WhatsApp; they come before a mobile number elsewhere. */
  whatsapps: number;
  areas: ReadonlyMap<number, number>;
  countries: ReadonlyMap<number, number>;
  /** Phone column to the column that names its kind: mobile, home, fax. */
  labels: ReadonlyMap<number, number>;
};

/** `at` is -1 when the layout has no phone column; `phone` is undefined when the row is too short for it. */
export type FoundPhone = { at: number; phone?: string; isSplit: boolean };

type Candidate = { at: number; phone: string; rank: number };

/** A readable number before others, then WhatsApp, mobile before land line, and the header's trust. */
export function findPhone(layout: PhoneLayout, cells: readonly string[]): FoundPhone {
  const { phones } = layout;
  const only = phones[0];
  if (phones.length === 1 && only !== undefined) return foundIn(layout, cells, only);
  const candidates = phones.flatMap((at, order) => candidatesOf(layout, cells, { at, order }));
  const [first, ...others] = candidates;
  if (first) {
    const best = others.reduce((a, b) => (b.rank < a.rank ? b : a), first);
    if (best.rank < UNUSABLE) return { at: best.at, phone: best.phone, isSplit: false };
  }
  const at =
    phones.find((column) => /\p{Nd}/u.test(cells[column] ?? "")) ??
    phones.find((column) => (cells[column] ?? "").trim() !== "") ??
    phones.at(-1) ??
    -1;
  return foundIn(layout, cells, at);
}

const UNUSABLE = 1_000_000;
const NO_WHATSAPP = 100_000;
const PLACEHOLDER = 500_000;
const LAND_LINE = 10_000;

function candidatesOf(
  layout: PhoneLayout,
  cells: readonly string[],
  { at, order }: { at: number; order: number },
): Candidate[] {
  const cell = cells[at] ?? "";
  if (!/\p{Nd}/u.test(cell)) return [];
  const kind = kindOf(cells[layout.labels.get(at) ?? -1] ?? "");
  if (kind === "fax") return [];
  return splitPhones(cell).map((part) => {
    const phone = withCodes(layout, cells, at, part);
    const reading = phone === null ? null : readPhone(phone);
    if (phone === null || reading === null || "error" in reading) return { at, phone: part, rank: UNUSABLE };
    const isWhatsapp = order < layout.whatsapps || kind === "whatsapp";
    const isLandLine = isBrazilianLandLine(reading.phone) || kind === "landline";
    const rank =
      order +
      (isWhatsapp ? 0 : NO_WHATSAPP) +
      (isLandLine && !isWhatsapp ? LAND_LINE : 0) +
      (isPlaceholder(reading.phone) ? PLACEHOLDER : 0);
    return { at, phone, rank };
  });
}

const isBrazilianLandLine = (phone: string) => phone.length === 12 && phone.startsWith("55");

/** 99999-9999 and the like fill a field that must not be empty. */
const isPlaceholder = (phone: string) => /(\d)\1{7}$/.test(phone);

function kindOf(label: string): "fax" | "whatsapp" | "mobile" | "landline" | null {
  const text = label.slice(0, 60).toLowerCase();
  if (/\bfax\b|pager/.test(text)) return "fax";
  if (/whats|zap|wpp/.test(text)) return "whatsapp";
  if (/\bcel|mobile|m[oó]vel/.test(text)) return "mobile";
  return /fixo|\bhome\b|resid|\bcasa\b/.test(text) ? "landline" : null;
}

function foundIn(layout: PhoneLayout, cells: readonly string[], at: number): FoundPhone {
  const cell = cells[at];
  if (cell === undefined) return { at, isSplit: false };
  const [first = cell, ...others] = splitPhones(cell);
  const isLandLine = others.length > 0 && isLandLineText(first);
  const mobile = isLandLine ? others.find((part) => !isLandLineText(part)) : undefined;
  const phone = withCodes(layout, cells, at, mobile ?? first);
  return phone === null ? { at, phone: cell, isSplit: true } : { at, phone, isSplit: false };
}

function isLandLineText(text: string): boolean {
  const reading = readPhone(text);
  return "phone" in reading && isBrazilianLandLine(reading.phone);
}

function withCodes(layout: PhoneLayout, cells: readonly string[], at: number, phone: string): string | null {
  const area = cells[layout.areas.get(at) ?? -1] ?? "";
  const country = cells[layout.countries.get(at) ?? -1] ?? "";
  return area === "" && country === "" ? phone : joinCodes({ phone, country, area });
}

const DDD_DIGITS = 3;
const COUNTRY_DIGITS = 5;

type Columns = { head: readonly string[]; body: readonly (readonly string[])[] };

export function codeColumns(
  { head, body }: Columns,
  phones: readonly number[],
): Pick<PhoneLayout, "areas" | "countries" | "labels"> {
  const columns = head.map((_, at) => at);
  const digits = (at: number) => body.map((cells) => (cells[at] ?? "").replace(/\D/g, "").length);
  const holds = (at: number, most: number) =>
    digits(at).every((count) => count <= most) && body.some((cells) => (cells[at] ?? "").trim() !== "");
  const areas = columns.filter((at) => isAreaCodeHeader(head[at] ?? "") && holds(at, DDD_DIGITS));
  const countries = columns.filter((at) => isCountryCodeHeader(head[at] ?? "") && holds(at, COUNTRY_DIGITS));
  const labels = columns.filter((at) => isPhoneLabelHeader(head[at] ?? ""));
  const whole = phones.filter((at) => !areas.includes(at));
  return assignCodes(head, whole, { areas, countries, labels });
}

type Codes = { areas: readonly number[]; countries: readonly number[]; labels: readonly number[] };

export function assignCodes(
  head: readonly string[],
  phones: readonly number[],
  { areas, countries, labels }: Codes,
): Pick<PhoneLayout, "areas" | "countries" | "labels"> {
  return {
    areas: assigned(head, phones, areas),
    countries: assigned(head, phones, countries),
    labels: adjacent(phones, labels),
  };
}

function assigned(
  head: readonly string[],
  phones: readonly number[],
  codes: readonly number[],
): Map<number, number> {
  const pairs = new Map<number, number>();
  for (const phone of phones) {
    const tags = phoneTags(head[phone] ?? "");
    const fitting = codes.filter((at) => phoneTags(head[at] ?? "").every((tag) => tags.includes(tag)));
    const shared = fitting.filter((at) => phoneTags(head[at] ?? "").length > 0);
    const near = (shared.length > 0 ? shared : fitting).toSorted(
      (a, b) => distance(a, phone) - distance(b, phone),
    );
    if (near[0] !== undefined) pairs.set(phone, near[0]);
  }
  return pairs;
}

const distance = (code: number, phone: number) => (code < phone ? phone - code : 1_000 + code - phone);

function adjacent(phones: readonly number[], labels: readonly number[]): Map<number, number> {
  const first = Math.min(...phones);
  const step = labels.includes(first - 1) ? -1 : 1;
  return new Map(phones.filter((at) => labels.includes(at + step)).map((at) => [at, at + step]));
}
