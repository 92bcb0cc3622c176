import type { Clock } from "../../../domain/clock.ts";

/** How long whoever has too few has to take what was given up, before more is; and how long we leave that to others. */
const SETTLE_MS = 3_000;
const LEAVE_MS = 5_000;

export type HandOver = {
  /** Gives up so many of these connections of a kind, the ones taken last; nothing while earlier ones are still on their way. */
  give(kind: string, count: number, movable: readonly number[]): void;
  /** What was given up for others' sake is not taken back at once. */
  leftToOthers(): number[];
};

/** Gives lanes up to processes that have too few. `end` ends one in order; it must not reject. */
export function handOver(clock: Clock, end: (connectionId: number) => Promise<void>): HandOver {
  /** Monotonic milliseconds, by kind and by connection. */
  const notBefore = new Map<string, number>();
  const left = new Map<number, number>();

  async function giveAll(kind: string, ids: readonly number[]): Promise<void> {
    notBefore.set(kind, Number.POSITIVE_INFINITY);
    for (const id of ids) left.set(id, Number.POSITIVE_INFINITY);
    await Promise.all(ids.map((id) => end(id).finally(() => left.set(id, clock.monotonic() + LEAVE_MS))));
    notBefore.set(kind, clock.monotonic() + SETTLE_MS);
  }

  return {
    give(kind, count, movable) {
      if (count === 0 || movable.length === 0 || clock.monotonic() < (notBefore.get(kind) ?? 0)) return;
      void giveAll(kind, movable.slice(-count));
    },
    leftToOthers() {
      const now = clock.monotonic();
      for (const [id, until] of left) if (until <= now) left.delete(id);
      return [...left.keys()];
    },
  };
}
