import { makeSchedule } from "../whatsapp/schedule.ts";

export type Clock = ReturnType<typeof makeClock>;

/**
 * With a held clock, waiting tasks do not count as pending; otherwise a test that holds it would wait for
 * itself.
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
    iso: () => new Date(schedule.now()).toISOString(),
    /** `idle` waits for it. */
    soon(ms: number, task: () => void): void {
      waiting += 1;
      schedule.after(ms, () => {
        waiting -= 1;
        task();
        tell();
      });
    },
    /** Recurring (QR codes, loops): `idle` does not wait. */
    sometime: (ms: number, task: () => void): void => schedule.after(ms, task),
    sleep: (ms: number): Promise<void> =>
      ms <= 0 ? Promise.resolve() : new Promise((resolve) => schedule.after(ms, resolve)),
    begin(): () => void {
      running += 1;
      return () => {
        running -= 1;
        tell();
      };
    },
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
