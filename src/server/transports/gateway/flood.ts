/** Of so many changes within this time none was the last. A linking that goes well takes four. */
const MANY = 10;
const WINDOW_MS = 10_000;
/** Looks are far apart, so fewer changes between them say the same. */
const MANY_SEEN = 4;
const SEEN_WINDOW_MS = 60_000;

/**
 * Tells a gateway without a way to WhatsApp from one that is only slow: there `close` and `connecting` follow each other without end, up
 * to 60 times a second (recordings 03 and 11), as events (`told`) and between looks (`seen`). `now`: monotonic ms.
 */
export function watchFlood(now: () => number) {
  let told: number[] = [];
  let seen: number[] = [];
  let state: string | null = null;
  return {
    told(): void {
      const at = now();
      told = [...told.filter((one) => at - one < WINDOW_MS), at].slice(-MANY);
    },
    seen(next: string): void {
      const at = now();
      if (state !== null && state !== next) seen = [...seen, at].slice(-MANY_SEEN);
      state = next;
    },
    is(): boolean {
      const at = now();
      const fresh = (list: readonly number[], window: number) =>
        list.filter((one) => at - one < window).length;
      return fresh(told, WINDOW_MS) >= MANY || fresh(seen, SEEN_WINDOW_MS) >= MANY_SEEN;
    },
    forget(): void {
      told = [];
      seen = [];
      state = null;
    },
  };
}
