import { makeSchedule } from "../whatsapp/schedule.ts";

export type Clock = ReturnType<typeof makeClock>;

/**
 * What happens later in the gateway, and whether anything is still to come. A held clock moves only by hand; what
 * waits on it does not count as to come, or a test that holds it would wait for itself.
 */
export function makeClock(now?: () => number) {
  const schedule = makeSchedule(now);
  let held = false;
  let waiting = 0;
  let running = 0;
  const sleepers = new Set<() => void>();

  const isIdle = () => running === 0 && (held || waiting === 0);
  function tell() {
    if (!isIdle()) return;
    for (const wake of [...sleepers]) wake();
  }

  return {
    now: schedule.now,
    /** The moment, as the gateway writes it. */
    iso: () => new Date(schedule.now()).toISOString(),
    /** Something that belongs to a message or a webhook: `idle` waits for it. */
    soon(ms: number, task: () => void): void {
      waiting += 1;
      schedule.after(ms, () => {
        waiting -= 1;
        task();
        tell();
      });
    },
    /** Something that comes again and again (QR codes, loops): nobody waits for it. */
    sometime: (ms: number, task: () => void): void => schedule.after(ms, task),
    /** Waits on this clock; at once for nothing. */
    sleep: (ms: number): Promise<void> =>
      ms <= 0 ? Promise.resolve() : new Promise((resolve) => schedule.after(ms, resolve)),
    /** Counts work under way. Call what it gives when it is done. */
    begin(): () => void {
      running += 1;
      return () => {
        running -= 1;
        tell();
      };
    },
    /** Resolves when nothing is under way or due. */
    idle(): Promise<void> {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(wake);
          resolve();
        };
        sleepers.add(wake);
      });
    },
    hold(): void {
      held = true;
      schedule.hold();
      tell();
    },
    advance: (ms: number): number => schedule.advance(ms),
    release(): void {
      held = false;
      schedule.release();
    },
    clear(): void {
      schedule.clear();
      waiting = 0;
      tell();
    },
  };
}
