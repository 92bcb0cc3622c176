/** Work that runs one at a time: asked for while it runs, it runs once more. */
export type Coalesced = {
  ask(): void;
  /** Resolves when it does not run; nobody may ask meanwhile. */
  idle(): Promise<void>;
};

/** `work` must not reject. */
export function coalesced(work: () => Promise<void>): Coalesced {
  let running: Promise<void> | null = null;
  let again = false;
  function ask(): void {
    if (running) {
      again = true;
      return;
    }
    running = work().finally(() => {
      running = null;
      if (!again) return;
      again = false;
      ask();
    });
  }
  return {
    ask,
    async idle() {
      while (running) await running;
    },
  };
}
