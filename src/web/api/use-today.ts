import { useEffect, useState } from "react";
import { dayIn } from "../lib/calendar-day.ts";
import { serverNow } from "./server-clock.ts";

/** Not a timer until midnight: browsers let those sleep with the computer. */
const LOOK_MS = 10_000;

/** Now, anew with each day that begins in the zone and not before. */
export function useToday(zone: string): Date {
  const [now, setNow] = useState(() => new Date(serverNow()));
  const day = dayIn(zone, now);
  useEffect(() => {
    const look = setInterval(() => {
      const next = new Date(serverNow());
      if (dayIn(zone, next) !== day) setNow(next);
    }, LOOK_MS);
    return () => clearInterval(look);
  }, [zone, day]);
  return now;
}
