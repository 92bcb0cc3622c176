import type { Clock } from "../../../domain/clock.ts";
import { gapOf, gridAfter } from "../../../domain/pacing.ts";
import type { Item } from "./outgoing.ts";

type Paced = { intervalS: number; extraS: number };

/**
 * How long before it is due a message may be handed out, in ms. What the database takes is then no part of the gap, and at an interval of
 * a second one turn both records a message and hands out the next. Not longer: who is handed out when a process dies is in doubt.
 */
const AHEAD_MS = 1_000;
/** How far from when a message is due whatever would keep it waiting stays, in ms. */
const CLEAR_MS = 100;

/** A lane's place on its grid (src/domain/pacing.ts). Times are monotonic milliseconds. */
export type LanePace = {
  /** False: nobody asks for an interval, messages go as fast as they are taken. */
  on(campaigns: readonly Paced[]): boolean;
  /** Milliseconds until the next message is due; 0 or less when it is. */
  dueIn(campaigns: readonly Paced[]): number;
  /** A monotonic time, or a little later one, at which no message is about to be due. */
  clearOf(campaigns: readonly Paced[], at: number): number;
  /** Milliseconds until the next message may be handed out; 0 or less when it may. */
  claimIn(campaigns: readonly Paced[]): number;
  /** Milliseconds until a message that was handed out may leave; 0 or less when it may. Retries and single messages need not wait. */
  leavesIn(campaigns: readonly Paced[], item: Item): number;
  /**
   * A message leaves now. Retries leave between two dues and do not move the grid; `single` ones never do, or a stream of them would take
   * one person's time after the other.
   */
  leaves(campaigns: readonly Paced[], single: boolean): void;
};

/**
 * `sinceLast`: milliseconds since the last message before this lane ran was handed out, null when there was none: a restart keeps the
 * distance. `early`: messages are handed out before they are due.
 */
export function lanePace(
  clock: Clock,
  random: () => number,
  sinceLast: number | null,
  early = false,
): LanePace {
  let last = sinceLast === null ? null : clock.monotonic() - Math.max(0, sinceLast - AHEAD_MS);
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
