import { useEffect, useState } from "react";
import { dayIn } from "../lib/calendar-day.ts";
import { serverNow } from "./server-clock.ts";

/** Browsers stop a timer until midnight while the computer sleeps. */
const LOOK_MS = 10_000;

/** Changes only when a new day begins in the zone. */
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
