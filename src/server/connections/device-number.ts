import { readPhone } from "../../domain/phone-foreign.ts";

/**
 * The name of a device in the REST interface: the canonical digits of the number as typed (`+`, spaces, a missing country code, an old
 * mobile's missing ninth digit), so that one number is one device. What is no known number stays as its plain digits, 8 to 15 of them;
 * null for anything else.
 */
export function deviceNumber(typed: string): string | null {
  const reading = readPhone(typed);
  if ("phone" in reading) return reading.phone;
  const digits = typed.replace(/[\s().+\-/]/g, "");
  return /^[1-9]\d{7,14}$/.test(digits) ? digits : null;
}
