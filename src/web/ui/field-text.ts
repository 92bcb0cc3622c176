import type { ContactField, FieldValue } from "../../contract/contact-fields.ts";
import { readDay, writtenDay } from "../lib/typed-day.ts";
import { formatDate, typedDecimal } from "../messages/format.ts";
import { localeText } from "../messages/locale.ts";
import { peopleText } from "../messages/people.ts";

const exact = new Intl.NumberFormat(localeText.locale, { maximumFractionDigits: 20 });

/** As the tables show it: `1.250,5`, `07/02/2026`, `Sim`. */
export function fieldText(value: FieldValue | undefined, { kind }: ContactField): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? peopleText.yes : peopleText.no;
  if (typeof value === "number") return exact.format(value);
  // Noon in UTC is the same day when it is shown in UTC.
  return kind === "date" ? formatDate(`${value}T12:00:00Z`, "UTC") : value;
}

/** As a form shows it; native date fields follow the browser's language. */
export function typedValue(value: FieldValue | undefined, { kind }: ContactField): string {
  if (value === undefined) return "";
  if (typeof value === "number") return typedDecimal(value);
  return kind === "date" ? writtenDay(String(value)) : String(value);
}

const DECIMAL = exact.format(1.5).charAt(1);
const GROUP = DECIMAL === "," ? "." : ",";

export function readTyped(typed: string, { kind }: ContactField): FieldValue | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  if (kind === "boolean") return text === "true";
  if (kind === "date") return readDay(text) ?? undefined;
  return kind === "number" ? readNumber(text) : text;
}

/** What to say of a text that is no value of the field's kind. */
export const typedError = ({ kind }: ContactField): string =>
  kind === "date" ? peopleText.form.notDate : peopleText.form.notNumber;

/** `1.250,5` and `1250,5`, but not `1.25,5`. */
function readNumber(text: string): number | undefined {
  const [whole = "", fraction = "0", ...rest] = text.split(DECIMAL);
  const groups = whole.replaceAll(GROUP, " ");
  if (rest.length > 0 || !/^-?(\d+|\d{1,3}( \d{3})+)$/.test(groups) || !/^\d+$/.test(fraction))
    return undefined;
  const number = Number(`${groups.replaceAll(" ", "")}.${fraction}`);
  return Number.isFinite(number) ? number : undefined;
}
