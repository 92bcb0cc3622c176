import type { Clock } from "../../domain/clock.ts";
import { gapOf, gridAfter } from "../../domain/pacing.ts";

type Paced = { intervalS: number; extraS: number };

/** A lane's place on its grid (src/domain/pacing.ts). Times are monotonic milliseconds. */
export type LanePace = {
  /** False: nobody asks for an interval, messages go as fast as they are taken. */
  on(campaigns: readonly Paced[]): boolean;
  /** Milliseconds until the next message is due; 0 or less when it is. */
  dueIn(campaigns: readonly Paced[]): number;
  /** A due message leaves now. Retries and single messages leave between two dues and do not move the grid. */
  leaves(campaigns: readonly Paced[]): void;
};

/** `sinceLast`: milliseconds since the last message before this lane ran, null when there was none: a restart keeps the distance. */
export function lanePace(clock: Clock, random: () => number, sinceLast: number | null): LanePace {
  let last = sinceLast === null ? null : clock.monotonic() - sinceLast;
  let drawn: { after: number; share: number } | null = null;

  /** Drawn once for each gap: drawing at every look would let the smallest draw win. */
  function gap(campaigns: readonly Paced[], after: number): number {
    if (drawn?.after !== after) drawn = { after, share: random() };
    return gapOf(campaigns, drawn.share);
  }

  const on = (campaigns: readonly Paced[]) =>
    gapOf(campaigns, 0) > 0 || campaigns.some((one) => one.extraS > 0);
  const dueIn = (campaigns: readonly Paced[]) =>
    last === null || !on(campaigns) ? 0 : last + gap(campaigns, last) - clock.monotonic();

  return {
    on,
    dueIn,
    leaves(campaigns) {
      const now = clock.monotonic();
      if (last === null || !on(campaigns)) last = now;
      else if (dueIn(campaigns) <= 0) {
        const distance = gap(campaigns, last);
        last = gridAfter(last + distance, now, distance);
      }
    },
  };
}
