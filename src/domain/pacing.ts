/**
 * The pace of one connection: a grid on the monotonic clock, shared by all campaigns that go through it. The next message is due
 * a gap after the last one was due, so small delays of a timer do not add up; a longer delay moves the grid instead of being
 * caught up in a burst, because bursts are what gets a number blocked.
 */

/**
 * How far behind the grid a message may be without moving it, in ms: what an idle machine's timer owes, not more, for by so much two
 * messages may be closer than the gap.
 */
const TOLERANCE_MS = 4;

/** Milliseconds between two messages: the largest interval among the campaigns, plus a random part of its extra. `random` in [0, 1). */
export function gapOf(campaigns: readonly { intervalS: number; extraS: number }[], random: number): number {
  let interval = 0;
  let extra = 0;
  for (const campaign of campaigns) {
    if (campaign.intervalS > interval) interval = campaign.intervalS;
    if (campaign.extraS > extra) extra = campaign.extraS;
  }
  return Math.round(interval * 1000 + extra * 1000 * random);
}

/** Where the grid stands after a message that was due at `due` really left at `left` (monotonic ms), with `gap` ms to the next. */
export function gridAfter(due: number, left: number, gap: number): number {
  return Math.max(due, left - Math.min(TOLERANCE_MS, gap / 10));
}
