import { type CountryCode, getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import { readPhone } from "./phone-foreign.ts";

export type PhoneParts = { phone: string; country: string; area: string };

const LONGEST = 100;
const BRAZIL = "55";

/** True when the phone is unreadable, or another person's, without its separate code. */
export function lacksItsCode({ phone, country, area }: PhoneParts): boolean {
  if (/^\D*(?:\+|00)/.test(phone.slice(0, LONGEST)) || !/\d/.test(phone.slice(0, LONGEST))) return false;
  const reading = readPhone(phone);
  if ("error" in reading && /\d/.test(area)) return reading.error === "phone_no_ddd";
  const code = callingCode(country);
  if (code === null) return false;
  return "error" in reading ? code !== BRAZIL : !reading.phone.startsWith(code);
}

/** An unknown country becomes a sign that matches no number; null for an empty cell. */
function callingCode(cell: string): string | null {
  const text = cell.slice(0, LONGEST).trim();
  if (text === "") return null;
  const digits = text.replace(/\D/g, "").replace(/^0+/, "");
  if (digits !== "") return digits;
  const letters = text.replace(/[^A-Za-z]/g, "").toUpperCase();
  if (/^BRA([SZ]IL)?$/.test(letters)) return BRAZIL;
  return isSupportedCountry(letters) ? getCountryCallingCode(letters as CountryCode) : "?";
}

const SHORTEST = 8;
const digitsOf = (cell: string) => cell.slice(0, LONGEST).replace(/\D/g, "");

export function countFurther(taken: string, cells: readonly string[]): number {
  const seen = [digitsOf(taken)];
  for (const cell of cells) {
    const digits = digitsOf(cell);
    if (digits.length < SHORTEST) continue;
    if (!seen.some((one) => one.endsWith(digits) || digits.endsWith(one))) seen.push(digits);
  }
  return seen.length - 1;
}
