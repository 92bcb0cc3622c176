import type { LaneDeps } from "./lane-deps.ts";

/** Wakes a lane's loop: what is given while nobody waits ends the next wait at once. */
export type LaneSignal = {
  give(): void;
  /** Until it is given, or so many milliseconds have passed. */
  wait(ms: number): Promise<void>;
};

/** A signal of which nothing was given yet. */
export function laneSignal(after: LaneDeps["after"]): LaneSignal {
  let given = false;
  let wakeUp: (() => void) | null = null;
  return {
    give() {
      given = true;
      wakeUp?.();
    },
    async wait(ms) {
      if (!given) {
        await new Promise<void>((resolve) => {
          const callOff = after(ms, resolve);
          wakeUp = () => {
            callOff();
            resolve();
          };
        });
        wakeUp = null;
      }
      given = false;
    },
  };
}
