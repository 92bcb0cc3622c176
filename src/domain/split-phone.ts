import { isWrittenHere } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";

export type PhoneParts = { phone: string; country: string; area: string };

const LONGEST = 100;
const BRAZIL = "55";
const WHOLE = /^\D*(?:\+|00)/;

/** For `readPhone`; null when it needs its codes and does not make exactly one number with them. */
export function joinCodes({ phone, country, area }: PhoneParts): string | null {
  const text = phone.slice(0, LONGEST);
  if (WHOLE.test(text) || !/\d/.test(text)) return phone;
  const code = callingCode(country);
  return code === null || code === BRAZIL ? joinedHere(phone, area, code) : joinedAbroad(phone, area, code);
}

function joinedHere(phone: string, area: string, code: string | null): string | null {
  const reading = readPhone(phone);
  if ("error" in reading) {
    if (reading.error !== "phone_no_ddd" || !/\d/.test(area)) return phone;
    const joined = `${area.trim()} ${phone.trim()}`;
    return "error" in readPhone(joined) ? null : joined;
  }
  return code === null || reading.phone.startsWith(code) ? phone : null;
}

function joinedAbroad(phone: string, area: string, code: string): string | null {
  const reading = readPhone(phone);
  if ("phone" in reading && reading.phone.startsWith(code)) return phone;
  const digits = phone.replace(/\D/g, "");
  if (code === UNKNOWN || digits.length < SHORTEST_LOCAL || isWrittenHere(phone)) return null;
  const areaDigits = area.slice(0, LONGEST).replace(/\D/g, "").replace(/^0+/, "");
  if (areaDigits.length > LONGEST_AREA) return null;
  const candidates = [`+${code}${areaDigits}${digits}`, `+${code}${digits}`, `+${digits}`].filter(
    (joined, at, all) => all.indexOf(joined) === at && joined.startsWith(`+${code}`),
  );
  const valid = candidates.filter((joined) => "phone" in readPhone(joined));
  return valid.length === 1 && valid[0] !== undefined ? valid[0] : null;
}

const UNKNOWN = "?";
const SHORTEST_LOCAL = 5;
const LONGEST_AREA = 5;
const LONGEST_CODE = 4;

/** A country by its name is an address, which says nothing of the phone, except for Brazil. Null: empty cell. */
function callingCode(cell: string): string | null {
  const text = cell.slice(0, LONGEST).trim();
  if (text === "") return null;
  const digits = text.replace(/\D/g, "").replace(/^0+/, "");
  if (digits !== "") return digits.length > LONGEST_CODE ? UNKNOWN : digits;
  const letters = text.replace(/[^A-Za-z]/g, "").toUpperCase();
  return /^BR(A([SZ]IL)?)?$/.test(letters) ? BRAZIL : UNKNOWN;
}

const SHORTEST = 8;
const digitsOf = (cell: string) => cell.slice(0, LONGEST).replace(/\D/g, "");

export function countFurther(taken: string, cells: readonly string[]): number {
  const seen = [digitsOf(taken)];
  for (const cell of cells.flatMap(splitPhones)) {
    const digits = digitsOf(cell);
    if (digits.length < SHORTEST) continue;
    if (!seen.some((one) => one.endsWith(digits) || digits.endsWith(one))) seen.push(digits);
  }
  return seen.length - 1;
}

const BETWEEN = /[/;,|\n]+|:::|\s+(?:e|ou|or|and)\s+/i;
const SEVERAL = 16;

/** The numbers of a cell that holds several whole ones; otherwise the cell. */
export function splitPhones(cell: string): readonly string[] {
  const text = cell.slice(0, 2 * LONGEST);
  if (text.length < SEVERAL || text.replace(/\D/g, "").length < SEVERAL || !BETWEEN.test(text)) return [cell];
  const reading = readPhone(text);
  if ("phone" in reading || reading.error !== "phone_several") return [cell];
  const parts = text.split(BETWEEN).map((part) => part.trim());
  const isWhole = parts.every((part) => digitsOf(part).length >= SHORTEST && "phone" in readPhone(part));
  return isWhole ? parts : [cell];
}
