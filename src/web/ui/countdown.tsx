import { useEffect, useState } from "react";
import { serverNow } from "../api/server-clock.ts";
import styles from "./countdown.module.css";

/** Seconds until a server time, never below 0; updates itself. */
export function useSecondsUntil(iso: string | null): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!iso) return;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 500);
    return () => clearInterval(timer);
  }, [iso]);
  return iso ? Math.max(0, Math.ceil((Date.parse(iso) - now) / 1000)) : 0;
}

export function CountdownRing({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className={styles.ring}>
      <circle cx="10" cy="10" r="8" />
      <circle
        cx="10"
        cy="10"
        r="8"
        pathLength="100"
        strokeDasharray={`${Math.max(0, Math.min(1, share)) * 100} 100`}
        className={styles.left}
        strokeLinecap="round"
      />
    </svg>
  );
}
