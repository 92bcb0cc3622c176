/**
 * E.164 without plus: 55 + DDD + 9 digits (mobile) or 8 (land line). Anatel Resolução 749/2022 (DDDs), Ato
 * 4.034/2012 (ninth digit).
 */

export type PhoneError =
  | "phone_missing"
  | "phone_scientific"
  | "phone_letters"
  | "phone_several"
  | "phone_too_short"
  | "phone_no_ddd"
  | "phone_unknown_ddd"
  | "phone_too_many_digits"
  | "phone_nonexistent"
  | "phone_toll_free"
  | "phone_service"
  | "phone_hidden_id"
  | "phone_group"
  | "phone_link"
  | "phone_foreign";

/** The 67 area codes in use. */
export const DDDS: readonly number[] = [
  11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46,
  47, 48, 49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85,
  86, 87, 88, 89, 91, 92, 93, 94, 95, 96, 97, 98, 99,
];

const IS_DDD = new Uint8Array(100);
for (const ddd of DDDS) IS_DDD[ddd] = 1;

const BRAZIL_MOBILE = 55e11;
const BRAZIL_LANDLINE = 55e10;

/**
 * About 0.1 µs. Negative: the ninth digit was added; 0: not Brazilian. DDD 55 is never taken for the country:
 * the digit count decides.
 */
export function brazilianPhone(text: string): number {
  let value = 0;
  let count = 0;
  let zeros = 0;
  let plus = false;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c >= 48 && c <= 57) {
      if (c === 48 && count === zeros) zeros++;
      value = value * 10 + c - 48;
      count++;
    } else if (c === 43) {
      if (count > 0 || plus) return 0;
      plus = true;
    } else if (c !== 32 && c !== 45 && c !== 40 && c !== 41 && c !== 160) return 0;
  }
  if (count > 17) return 0;
  if (plus) return zeros === 0 ? withCountry(value, count) : 0;
  if (zeros === 0) return count === 10 || count === 11 ? national(value, count) : withCountry(value, count);
  if (zeros === 2) return withCountry(value, count - 2);
  return zeros === 1 ? afterTrunkZero(value, count - 1) : 0;
}

function afterTrunkZero(value: number, count: number): number {
  if (count === 10 || count === 11) return national(value, count);
  if (count === 12) return national(value % 1e10, 10);
  return count === 13 ? national(value % 1e11, 11) : 0;
}

function withCountry(value: number, count: number): number {
  if (count === 12) return Math.floor(value / 1e10) === 55 ? national(value % 1e10, 10) : 0;
  if (count === 14) return Math.floor(value / 1e11) === 550 ? national(value % 1e11, 11) : 0;
  if (count !== 13 || Math.floor(value / 1e11) !== 55) return 0;
  const rest = value % 1e11;
  return rest < 1e10 ? national(rest, 10) : national(rest, 11);
}

function national(value: number, count: number): number {
  if (count === 11) {
    const mobile = IS_DDD[Math.floor(value / 1e9)] === 1 && Math.floor(value / 1e8) % 10 === 9;
    return mobile ? BRAZIL_MOBILE + value : 0;
  }
  const ddd = Math.floor(value / 1e8);
  if (IS_DDD[ddd] !== 1) return 0;
  const first = Math.floor(value / 1e7) % 10;
  if (first >= 6) return -(BRAZIL_MOBILE + ddd * 1e9 + 9e8 + (value % 1e8));
  return first >= 2 ? BRAZIL_LANDLINE + value : 0;
}

// Invisible marks copied from Windows contacts and web pages.
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Removes spreadsheet text forms (`="5511…"`, apostrophe), a float's `,0`, and the open carrier of 0xx11. */
export function plainPhone(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .trim()
    .replace(/^="(.*)"$/, "$1")
    .replace(/^'/, "")
    .trim()
    .replace(/^(\(?0) ?xx/i, "$1");
  return /^\d{10,14}[.,]0{1,2}$/.test(plain) ? plain.replace(/[.,]0+$/, "") : plain;
}

export type Digits = { digits: string; international: boolean };

export function phoneDigits(plain: string): Digits | PhoneError {
  if (plain === "") return "phone_missing";
  if (/^\+?\d+([.,]\d*)?e\+?\d+$/i.test(plain)) return "phone_scientific";
  const digits = plain.replace(/\D/g, "");
  if (digits.length >= 16 && /\d\D*[/:;,|\n]\D*\d|\d +e +\d|\d +ou +\d/i.test(plain)) return "phone_several";
  if (!/^\+?[\d\s().\-/]*$/.test(plain)) return "phone_letters";
  if (digits === "") return "phone_missing";
  if (plain.startsWith("+")) return { digits, international: true };
  if (digits.startsWith("00")) return { digits: digits.slice(2), international: true };
  return { digits, international: false };
}

// A Brazilian number and up to four digits: an extension or the end of a second number.
const WITH_MORE = /^\d\d(?:9\d{8}|[2-5]\d{7})\d{1,4}$/;
const ARGENTINA = /^549\d{10}$/;

/** False if it may be a mistyped Brazilian number: a wrong guess would message a stranger abroad. */
export function mayBeForeign(digits: string): boolean {
  if (digits.length < 11 || digits.length > 15 || digits.startsWith("55") || digits.startsWith("0"))
    return false;
  const third = Number(digits[2]);
  if (digits.length === 11 && third === 9) return false;
  if (third < 2 || IS_DDD[Number(digits.slice(0, 2))] !== 1) return true;
  return digits.length > 12 && (!WITH_MORE.test(digits) || ARGENTINA.test(digits));
}

const WRITTEN_HERE = /\(\d\d\)|^\d{1,2}[.)] |\d\s*\/\s*\d|^\d\d[\s.-]*(?:9[\s.-]*)?[2-9]\d{3}[\s.-]+\d{4}\D/;

/** «(49) 3333-4444/5555» is in Chapecó and «1. 31 3222-6618» in Minas, though their digits exist abroad. */
export function isWrittenHere(plain: string): boolean {
  return WRITTEN_HERE.test(plain);
}

const SERVICE = /^1(00|28|29|3[0-68]|4[78]|5\d|60|8\d|9\d)$/;

/** Only for digits that `brazilianPhone` refused. */
export function brazilianError({ digits, international }: Digits): PhoneError {
  if (/^0?(800|300|500|900)\d{6,7}$/.test(digits) || /^(400[0-9]|300[0-9]|4020)\d{4}$/.test(digits)) {
    return "phone_toll_free";
  }
  if (SERVICE.test(digits)) return "phone_service";
  const rest = (international || digits.length > 11) && digits.startsWith("55") ? digits.slice(2) : digits;
  const local = rest.replace(/^0+/, "");
  if (local.length < 8) return "phone_too_short";
  if (local.length < 10) return "phone_no_ddd";
  if (local.length > 11) return "phone_too_many_digits";
  if (IS_DDD[Number(local.slice(0, 2))] !== 1) return "phone_unknown_ddd";
  return local.length === 11 && Number(local[2]) >= 2 ? "phone_too_many_digits" : "phone_nonexistent";
}
