import type { FieldCode } from "../../../contract/error-messages.ts";

/**
 * Instant of a date and time in an IANA zone, or an error. Without the calendar library; the server validates
 * again (domain/schedule.ts).
 */
export type Meant = { ok: true; at: Date } | { ok: false; error: FieldCode };

const DAY_MS = 86_400_000;
/** 366 days; the server checks by calendar. */
const FAR_MS = 366 * DAY_MS;

/** `2026-11-27`, `08:00`. */
export function meantInstant(date: string, time: string, zone: string, now: Date): Meant {
  const day = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(date);
  const clock = /^(\d{2}):(\d{2})/.exec(time);
  if (!day || !clock) return { ok: false, error: "campaign_schedule_required" };
  if (Number(day[1]) > 9999) return { ok: false, error: "campaign_schedule_too_far" };
  const wall = Date.UTC(
    Number(day[1]),
    Number(day[2]) - 1,
    Number(day[3]),
    Number(clock[1]),
    Number(clock[2]),
  );
  // Zone offsets a day before and after: one applies at that local time, if it exists.
  const found = [wall - DAY_MS, wall + DAY_MS]
    .map((near) => wall - offset(near, zone))
    .filter((at) => at + offset(at, zone) === wall);
  if (found.length === 0) return { ok: false, error: "campaign_schedule_nonexistent" };
  const at = Math.min(...found);
  if (at < Math.floor(now.getTime() / 60_000) * 60_000) return { ok: false, error: "campaign_schedule_past" };
  if (at > now.getTime() + FAR_MS) return { ok: false, error: "campaign_schedule_too_far" };
  return { ok: true, at: new Date(at) };
}

export function wallNow(zone: string, now: Date): { date: string; time: string } {
  const part = parts(now.getTime(), zone);
  return { date: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}` };
}

/** Zone offset from UTC in milliseconds. */
function offset(at: number, zone: string): number {
  const part = parts(at, zone);
  const wall = Date.UTC(
    Number(part.year),
    Number(part.month) - 1,
    Number(part.day),
    Number(part.hour),
    Number(part.minute),
    Number(part.second),
  );
  return wall - Math.floor(at / 1000) * 1000;
}

function parts(at: number, zone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}
