import { cleanName, type NameError } from "./contact-name.ts";
import { greetingName } from "./greeting-name.ts";
import { brazilianPhone, type PhoneError } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";

/** `phone`: canonical digits, as a number; `name` is empty where the row names no person. */
export type Person = { name: string; phone: number; ninthAdded: boolean };

export function readPerson(typedName: string, value: string): Person | PhoneError | NameError {
  // Negative when the ninth digit was added.
  const signed = brazilianPhone(value) || anyPhone(value);
  if (typeof signed === "string") return signed;
  const read = cleanName(typedName);
  if ("error" in read) return read.error;
  return { name: greetingName(read.name), phone: Math.abs(signed), ninthAdded: signed < 0 };
}

function anyPhone(value: string): number | PhoneError {
  const reading = readPhone(value);
  if ("error" in reading) return reading.error;
  return reading.ninthAdded ? -Number(reading.phone) : Number(reading.phone);
}
