import { coalesced } from "./coalesced.ts";

/** Runs `work` every `ms` milliseconds until `close`, which waits for a running one. An error goes to `failed`, and the next run follows. */
export function repeat(
  ms: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): { close(): Promise<void> } {
  const runs = coalesced(() => work().catch(failed));
  const timer = setInterval(() => runs.ask(), ms);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await runs.idle();
    },
  };
}
