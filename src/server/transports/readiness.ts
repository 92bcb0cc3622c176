import type { Clock } from "../../domain/clock.ts";

export function makeReadiness(clock: Clock) {
  const listeners = new Set<() => void>();
  let readyAt: number | null = null;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    tell,
    ready: () => readyAt !== null,
    since: () => (readyAt === null ? 0 : clock.monotonic() - readyAt),
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    set: (ready: boolean) => {
      if (ready === (readyAt !== null)) return;
      readyAt = ready ? clock.monotonic() : null;
      tell();
    },
  };
}
