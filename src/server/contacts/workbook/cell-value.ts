const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return isBuiltInDate(id);
  const bare = code
    .slice(0, 200)
    .replace(/"[^"]*"|\\.|_./g, "")
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
  return /[dmyhs]/i.test(bare) && !/general/i.test(bare);
}

const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);
const EPOCH_1904_DAYS = 1_462;
/** Excel counts a 29 February 1900. */
const LEAP_BUG = 60;
const LAST_DAY = 2_958_466;

/** `25/11/2026`, `25/11/2026 14:30` or `14:30`; a number that is no day stays one. */
export function dateText(serial: number, is1904: boolean): string {
  const days = is1904 ? serial + EPOCH_1904_DAYS : serial;
  if (!Number.isFinite(days) || days < 0 || days >= LAST_DAY) return numberText(serial);
  const minutes = Math.round((days % 1) * 24 * 60);
  const whole = Math.floor(days);
  const time = `${pad(Math.floor(minutes / 60) % 24)}:${pad(minutes % 60)}`;
  if (whole === 0) return time;
  const at = new Date(EPOCH + (whole < LEAP_BUG ? whole + 1 : whole) * DAY_MS);
  const date = `${pad(at.getUTCDate())}/${pad(at.getUTCMonth() + 1)}/${String(at.getUTCFullYear()).padStart(4, "0")}`;
  return minutes === 0 ? date : `${date} ${time}`;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** Without exponent or lost digits: `5.511987654321E+12` is a phone. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  // As Brazil writes it: a point would part thousands.
  return String(value).replace(".", ",");
}

export function isoText(text: string): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d))?/.exec(text);
  if (!parts) return text;
  const time = parts[4] === undefined || parts[4] === "00:00" ? "" : ` ${parts[4]}`;
  return `${parts[3]}/${parts[2]}/${parts[1]}${time}`;
}

export function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & 0xdf;
    if (code < 0x41 || code > 0x5a) break;
    column = column * 26 + code - 0x40;
  }
  return column - 1;
}
