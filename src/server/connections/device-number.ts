import { readPhone } from "../../domain/phone-foreign.ts";

/**
 * Canonical digits, so that one number is one device. Unknown numbers keep their 8 to 15 plain digits; else
 * null.
 */
export function deviceNumber(typed: string): string | null {
  const reading = readPhone(typed);
  if ("phone" in reading) return reading.phone;
  const digits = typed.replace(/[\s().+\-/]/g, "");
  return /^[1-9]\d{7,14}$/.test(digits) ? digits : null;
}
