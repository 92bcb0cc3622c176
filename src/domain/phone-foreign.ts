import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import {
  brazilianError,
  brazilianPhone,
  isWrittenHere,
  mayBeForeign,
  type PhoneError,
  phoneDigits,
  plainPhone,
} from "./phone.ts";

/** A phone that was understood (`phone`: canonical digits without plus), or why it was not. */
export type PhoneReading = { phone: string; ninthAdded: boolean } | { fault: PhoneError };

// Longer than any number with any mask; the rest would only cost time.
const LONGEST = 200;

// What answers there is a switchboard, not a person with WhatsApp.
const NOT_A_PERSON = new Set(["TOLL_FREE", "PREMIUM_RATE", "SHARED_COST", "UAN", "PAGER", "VOICEMAIL"]);

// WhatsApp's hidden ids of people have 14 or 15 digits. Numbering plans that allow so many (Austria, Germany) mean extensions by them.
const HIDDEN_ID_DIGITS = 15;
const DOUBTFUL_DIGITS = 14;

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
  if (!abroad) return { fault: brazilianError(digits) };
  if (digits.digits.length === HIDDEN_ID_DIGITS && !digits.international) return { fault: "phone_hidden_id" };
  const foreign = readForeign(digits.digits);
  if (digits.international) return foreign;
  // Digits that are dropped, as a trunk zero is, would make a number that was not written.
  const isWhole = "phone" in foreign && foreign.phone === digits.digits;
  return isWhole ? foreign : { fault: brazilianError(digits) };
}

function brazil(number: number): PhoneReading {
  return { phone: String(Math.abs(number)), ninthAdded: number < 0 };
}

function readForeign(digits: string): PhoneReading {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number?.isValid()) return { fault: "phone_foreign" };
  if (NOT_A_PERSON.has(number.getType() ?? "")) return { fault: "phone_toll_free" };
  // A hidden id that begins like such a number would be a stranger's.
  if (digits.length >= DOUBTFUL_DIGITS && number.getType() !== "MOBILE") return { fault: "phone_hidden_id" };
  if (number.country === ("BR" satisfies CountryCode)) return { fault: "phone_nonexistent" };
  return { phone: number.number.slice(1), ninthAdded: false };
}
