import type { Clock } from "../../../domain/clock.ts";

/** Time for other processes to take released connections: no further release, and no retake by us, before. */
const SETTLE_MS = 3_000;
const LEAVE_MS = 5_000;

export type HandOver = {
  give(kind: string, count: number, movable: readonly number[]): void;
  leftToOthers(): number[];
};

/** Rebalances lanes to processes with too few; `end` must not reject. */
export function handOver(clock: Clock, end: (connectionId: number) => Promise<void>): HandOver {
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
