/** Successful linking takes four. */
const MANY = 10;
const WINDOW_MS = 10_000;
/** Looks are far apart and miss changes. */
const MANY_SEEN = 4;
const SEEN_WINDOW_MS = 60_000;

/**
 * Without a way to WhatsApp a gateway alternates `close` and `connecting` up to 60 times a second (recordings
 * 03, 11): events (`reported`) and looks (`seen`). `now`: monotonic ms.
 */
export function watchFlood(now: () => number) {
  let reported: number[] = [];
  let seen: number[] = [];
  let state: string | null = null;
  return {
    reported(): void {
      const at = now();
      reported = [...reported.filter((one) => at - one < WINDOW_MS), at].slice(-MANY);
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
      return fresh(reported, WINDOW_MS) >= MANY || fresh(seen, SEEN_WINDOW_MS) >= MANY_SEEN;
    },
    forget(): void {
      reported = [];
      seen = [];
      state = null;
    },
  };
}
