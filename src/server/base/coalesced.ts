/** Runs one at a time; requests during a run cause one more run. */
export type Coalesced = {
  ask(): void;
  /** Resolves when it does not run; do not request while waiting. */
  idle(): Promise<void>;
};

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
