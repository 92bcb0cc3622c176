import { Temporal } from "temporal-polyfill";
import { isTimeZone } from "./account.ts";

export type ScheduleError =
  | "campaign_schedule_required"
  | "campaign_schedule_form"
  | "campaign_schedule_invalid"
  | "campaign_schedule_zone"
  | "campaign_schedule_past"
  | "campaign_schedule_too_far"
  | "campaign_schedule_nonexistent";

const WALL = /^(\d{4,6})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::00(?:\.0{1,3})?)?$/;

/**
 * Exact to the minute; the current minute counts as now, over a year ahead is refused. A skipped hour is
 * refused; a repeated one means its first.
 */
export function scheduledInstant(
  wall: string,
  zone: string,
  now: Date,
): { ok: true; at: Date } | { ok: false; error: ScheduleError } {
  const typed = wall.trim();
  if (typed === "" || !/\d.*T.*\d/.test(typed)) return refused("campaign_schedule_required");
  if (!isTimeZone(zone)) return refused("campaign_schedule_zone");
  const match = WALL.exec(typed);
  if (!match) return refused("campaign_schedule_form");
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number);
  // Browser date fields allow year 275760, more than Temporal.
  if (year > 9999) return refused("campaign_schedule_too_far");
  const local = plainDateTime({ year, month, day, hour, minute });
  if (!local) return refused("campaign_schedule_invalid");
  const zoned = zonedDateTime(local, zone);
  if (!zoned) return refused("campaign_schedule_zone");
  if (!zoned.toPlainDateTime().equals(local)) return refused("campaign_schedule_nonexistent");
  const at = zoned.epochMilliseconds;
  if (at < Math.floor(now.getTime() / 60_000) * 60_000) return refused("campaign_schedule_past");
  const limit = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(zone)
    .add({ years: 1 });
  if (at > limit.epochMilliseconds) return refused("campaign_schedule_too_far");
  return { ok: true, at: new Date(at) };
}

function refused(error: ScheduleError): { ok: false; error: ScheduleError } {
  return { ok: false, error };
}

function plainDateTime(fields: { year: number; month: number; day: number; hour: number; minute: number }) {
  try {
    return Temporal.PlainDateTime.from(fields, { overflow: "reject" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Undefined for three-letter zones (`IST`), whose meaning differs between programs. */
function zonedDateTime(local: Temporal.PlainDateTime, zone: string): Temporal.ZonedDateTime | undefined {
  try {
    return local.toZonedDateTime(zone, { disambiguation: "earlier" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Calendar day (`2026-11-19`) of an instant in a zone. */
export function dayInZone(at: Date, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString();
}

export function daysUntil(last: string, count: number): string[] {
  const day = Temporal.PlainDate.from(last);
  return Array.from({ length: count }, (_, i) => day.subtract({ days: count - 1 - i }).toString());
}

/** Epoch ms at which a calendar day begins in a zone. */
export function startOfDay(day: string, zone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;
}
