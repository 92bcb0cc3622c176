/** Month and day of the national holidays of Brazil. Sources: laws 662/1949, 6.802/1980, 14.759/2023. */
const FIXED = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20", "12-25"];

/** By Meeus's Gregorian algorithm. */
function easterOf(year: number): Date {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const days = h + l - 7 * m + 114;
  return new Date(Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1));
}

/** Of a calendar day (`2026-11-20`). Carnival and Corpus Christi are no national holidays. */
export function isHoliday(day: string): boolean {
  if (FIXED.includes(day.slice(5))) return true;
  const goodFriday = easterOf(Number(day.slice(0, 4)));
  goodFriday.setUTCDate(goodFriday.getUTCDate() - 2);
  return goodFriday.toISOString().startsWith(day);
}
