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

/** `phone`: canonical digits without plus. */
export type PhoneReading = { phone: string; ninthAdded: boolean } | { error: PhoneError };

const LONGEST = 200;

const NOT_A_PERSON = new Set(["TOLL_FREE", "PREMIUM_RATE", "SHARED_COST", "UAN", "PAGER", "VOICEMAIL"]);

// WhatsApp's hidden ids have 14 or 15 digits; in Austria and Germany such lengths mean extensions.
const HIDDEN_ID_DIGITS = 15;
const DOUBTFUL_DIGITS = 14;

/**
 * Brazil by the fast rule; libphonenumber (8 µs) only for the rest. Separate from phone.ts so that the
 * browser never loads the metadata.
 */
export function readPhone(text: string): PhoneReading {
  const direct = brazilianPhone(text);
  if (direct !== 0) return brazil(direct);
  if (text.length > LONGEST) return { error: "phone_too_many_digits" };
  const plain = plainPhone(text);
  const number = brazilianPhone(plain.replaceAll(/[./\t]/g, " "));
  if (number !== 0) return brazil(number);
  const digits = phoneDigits(plain);
  if (typeof digits === "string") return { error: digits };
  const abroad = digits.international
    ? !digits.digits.startsWith("55")
    : mayBeForeign(digits.digits) && !isWrittenHere(plain);
  if (!abroad) return { error: brazilianError(digits) };
  if (digits.digits.length === HIDDEN_ID_DIGITS && !digits.international) return { error: "phone_hidden_id" };
  const foreign = readForeign(digits.digits);
  if (digits.international) return foreign;
  // A dropped digit, such as a trunk zero, would change the number.
  const isWhole = "phone" in foreign && foreign.phone === digits.digits;
  return isWhole ? foreign : { error: brazilianError(digits) };
}

function brazil(number: number): PhoneReading {
  return { phone: String(Math.abs(number)), ninthAdded: number < 0 };
}

function readForeign(digits: string): PhoneReading {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number?.isValid()) return { error: "phone_foreign" };
  if (NOT_A_PERSON.has(number.getType() ?? "")) return { error: "phone_toll_free" };
  // A hidden id with such a prefix would be a stranger's number.
  if (digits.length >= DOUBTFUL_DIGITS && number.getType() !== "MOBILE") return { error: "phone_hidden_id" };
  if (number.country === ("BR" satisfies CountryCode)) return { error: "phone_nonexistent" };
  return { phone: number.number.slice(1), ninthAdded: false };
}
