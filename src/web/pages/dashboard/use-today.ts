import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { askAnew } from "../../api/ask-anew.ts";
import { serverNow } from "../../api/server-clock.ts";
import { dayIn } from "../../calendar-day.ts";

/** Not a timer until midnight: browsers let those sleep with the computer. */
const LOOK_MS = 10_000;

/** Now, anew with each day that begins in the zone: the figures of a page that is left open are then asked for again. */
export function useToday(zone: string): Date {
  const queries = useQueryClient();
  const [now, setNow] = useState(() => new Date(serverNow()));
  const day = dayIn(zone, now);
  const shown = useRef(day);
  useEffect(() => {
    const look = setInterval(() => {
      const next = new Date(serverNow());
      if (dayIn(zone, next) !== day) setNow(next);
    }, LOOK_MS);
    return () => clearInterval(look);
  }, [zone, day]);
  useEffect(() => {
    if (day === shown.current) return;
    shown.current = day;
    askAnew(queries, ["campaigns", "dashboard"]);
  }, [day, queries]);
  return now;
}
