import type { LaneDeps } from "./lane-deps.ts";

/** Wakes the lane's loop; a signal between waits ends the next wait. */
export type LaneSignal = {
  give(): void;
  wait(ms: number): Promise<void>;
};

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
