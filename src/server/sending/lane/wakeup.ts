import type { LaneDeps } from "./lane-deps.ts";

/** Wakes the lane's loop; a call between waits ends the next wait. */
export class Wakeup {
  readonly #after: LaneDeps["after"];
  #isDue = false;
  #endWait: (() => void) | null = null;

  constructor(after: LaneDeps["after"]) {
    this.#after = after;
  }

  wake(): void {
    this.#isDue = true;
    this.#endWait?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        const cancel = this.#after(ms, resolve);
        this.#endWait = () => {
          cancel();
          resolve();
        };
      });
      this.#endWait = null;
    }
    this.#isDue = false;
  }
}
