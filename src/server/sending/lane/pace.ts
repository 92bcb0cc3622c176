import type { Clock } from "../../../domain/clock.ts";
import { gapOf, gridAfter } from "../../../domain/pacing.ts";
import type { Item } from "./outgoing.ts";

type Paced = { intervalS: number; extraS: number };

/**
 * How early a message may be claimed, in ms: database time then stays out of the gap, and one turn records
 * and claims at 1 s intervals. Not longer, since a crash leaves claimed people in doubt.
 */
const AHEAD_MS = 1_000;
const CLEAR_MS = 100;

/** A lane's position on its pacing grid (src/domain/pacing.ts); times are monotonic ms. */
export type LanePace = {
  on(campaigns: readonly Paced[]): boolean;
  dueIn(campaigns: readonly Paced[]): number;
  /** The time, moved later if a message is about to be due. */
  clearOf(campaigns: readonly Paced[], at: number): number;
  claimIn(campaigns: readonly Paced[]): number;
  /** Retries and direct messages need not wait. */
  leavesIn(campaigns: readonly Paced[], item: Item): number;
  /** Retries do not move the grid; neither do direct messages, or a stream of them would starve campaigns. */
  leaves(campaigns: readonly Paced[], single: boolean): void;
};

/**
 * `sinceLast`: ms since the last claim before this lane, or null, so that a restart keeps the distance.
 * `early`: claims before the due time.
 */
export function lanePace(
  clock: Clock,
  random: () => number,
  sinceLast: number | null,
  early = false,
): LanePace {
  let last = sinceLast === null ? null : clock.monotonic() - Math.max(0, sinceLast - AHEAD_MS);
  let drawn: { after: number; share: number } | null = null;

  /** Drawn once per gap: a draw at every look would let the smallest win. */
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
    clearOf(campaigns, at) {
      if (!on(campaigns)) return at;
      const due = clock.monotonic() + dueIn(campaigns);
      return Math.abs(at - due) < CLEAR_MS ? due + CLEAR_MS : at;
    },
    leavesIn: (campaigns, item) =>
      item.kind === "outbox" || (item.person.tries > 0 && !item.person.ambiguous) ? 0 : dueIn(campaigns),
    claimIn: (campaigns) => dueIn(campaigns) - (early ? AHEAD_MS : 0),
    leaves(campaigns, single) {
      const now = clock.monotonic();
      if (last === null || !on(campaigns)) last = now;
      else if (!single && dueIn(campaigns) <= 0) {
        const distance = gap(campaigns, last);
        last = gridAfter(last + distance, now, distance);
      }
    },
  };
}
