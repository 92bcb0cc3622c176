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
import { unwrapPhone } from "./phone-wrapping.ts";

/** `phone`: canonical digits without plus. */
export type PhoneReading = { phone: string; ninthAdded: boolean } | { error: PhoneError };

const LONGEST = 200;
const LONGEST_LINK = 2_000;

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
  if (text.length > LONGEST_LINK) return { error: "phone_too_many_digits" };
  const unwrapped = unwrapPhone(plainPhone(text));
  if ("error" in unwrapped) return unwrapped;
  if (unwrapped.kind === "address") return readInternational(unwrapped.text);
  return unwrapped.kind === "link" ? readLinked(unwrapped.text) : readPlain(unwrapped.text);
}

function readPlain(plain: string): PhoneReading {
  if (plain.length > LONGEST) return { error: "phone_too_many_digits" };
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
  const isWhole = "phone" in foreign && foreign.phone === withoutMobileOne(digits.digits);
  return isWhole ? foreign : { error: brazilianError(digits) };
}

function readInternational(digits: string): PhoneReading {
  const number = brazilianPhone(`+${digits}`);
  if (number !== 0) return brazil(number);
  if (digits.startsWith("55")) return { error: brazilianError({ digits, international: true }) };
  const foreign = readForeign(digits);
  const isWhole = "error" in foreign || foreign.phone === withoutMobileOne(digits);
  return isWhole ? foreign : { error: "phone_foreign" };
}

/** People forget the country in links; digits that mean two persons are refused. */
function readLinked(digits: string): PhoneReading {
  const abroad = readInternational(digits);
  const here = brazilianPhone(digits);
  if (here === 0 || ("phone" in abroad && abroad.phone === String(Math.abs(here)))) return abroad;
  return "phone" in abroad ? { error: "phone_link" } : brazil(here);
}

// WhatsApp keeps the 1 that Mexico dropped from its mobile numbers in 2019.
const withoutMobileOne = (digits: string) => (/^521\d{10}$/.test(digits) ? `52${digits.slice(3)}` : digits);

function brazil(number: number): PhoneReading {
  return { phone: String(Math.abs(number)), ninthAdded: number < 0 };
}

function readForeign(digits: string): PhoneReading {
  const number = parsePhoneNumberFromString(`+${withoutMobileOne(digits)}`);
  if (!number?.isValid()) return { error: "phone_foreign" };
  if (NOT_A_PERSON.has(number.getType() ?? "")) return { error: "phone_toll_free" };
  // A hidden id with such a prefix would be a stranger's number.
  if (digits.length >= DOUBTFUL_DIGITS && number.getType() !== "MOBILE") return { error: "phone_hidden_id" };
  if (number.country === ("BR" satisfies CountryCode)) return { error: "phone_nonexistent" };
  return { phone: number.number.slice(1), ninthAdded: false };
}
