import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { invalidateQuery } from "../../api/invalidate.ts";
import { useToday } from "../../api/use-today.ts";
import { dayIn } from "../../lib/calendar-day.ts";

/** Changes with each day of the zone, and refetches the figures of a page left open. */
export function useTurnedDay(zone: string): Date {
  const queries = useQueryClient();
  const now = useToday(zone);
  const day = dayIn(zone, now);
  const shown = useRef(day);
  useEffect(() => {
    if (day === shown.current) return;
    shown.current = day;
    invalidateQuery(queries, ["campaigns", "dashboard"]);
  }, [day, queries]);
  return now;
}
