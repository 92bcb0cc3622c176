import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import {
  brazilianFault,
  brazilianPhone,
  isWrittenHere,
  mayBeForeign,
  type PhoneFault,
  phoneDigits,
  plainPhone,
} from "./phone.ts";

/** A phone that was understood (`phone`: canonical digits without plus), or why it was not. */
export type PhoneReading = { phone: string; ninthAdded: boolean } | { fault: PhoneFault };

// Longer than any number with any mask; the rest would only cost time.
const LONGEST = 200;

// What answers there is a switchboard, not a person with WhatsApp.
const NOT_A_PERSON = new Set(["TOLL_FREE", "PREMIUM_RATE", "SHARED_COST", "UAN", "PAGER", "VOICEMAIL"]);

/**
 * Reads a phone as people write it. Brazil by the fast rule; libphonenumber (8 µs) only for what that refuses: numbers with + or 00,
 * and those without that can be nothing but another country's. Kept out of phone.ts so that the browser never loads the metadata.
 */
export function readPhone(text: string): PhoneReading {
  const direct = brazilianPhone(text);
  if (direct !== 0) return brazil(direct);
  if (text.length > LONGEST) return { fault: "phone_too_many_digits" };
  const plain = plainPhone(text);
  const number = brazilianPhone(plain.replaceAll(/[./\t]/g, " "));
  if (number !== 0) return brazil(number);
  const digits = phoneDigits(plain);
  if (typeof digits === "string") return { fault: digits };
  const abroad = digits.international
    ? !digits.digits.startsWith("55")
    : mayBeForeign(digits.digits) && !isWrittenHere(plain);
  if (!abroad) return { fault: brazilianFault(digits) };
  const foreign = readForeign(digits.digits);
  return "fault" in foreign && !digits.international ? { fault: brazilianFault(digits) } : foreign;
}

function brazil(number: number): PhoneReading {
  return { phone: String(Math.abs(number)), ninthAdded: number < 0 };
}

function readForeign(digits: string): PhoneReading {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number?.isValid()) return { fault: "phone_foreign" };
  if (NOT_A_PERSON.has(number.getType() ?? "")) return { fault: "phone_toll_free" };
  if (number.country === ("BR" satisfies CountryCode)) return { fault: "phone_nonexistent" };
  return { phone: number.number.slice(1), ninthAdded: false };
}
