/**
 * A monotonic grid for all campaigns of a connection. A long delay moves the grid, because catching up in
 * bursts gets a number blocked.
 */

/** Allowed lag in ms, an idle machine's timer delay; by so much messages may be closer than the gap. */
const TOLERANCE_MS = 4;

/** Milliseconds: the largest interval plus a random part of its extra. `random` in [0, 1). */
export function gapOf(campaigns: readonly { intervalS: number; extraS: number }[], random: number): number {
  let interval = 0;
  let extra = 0;
  for (const campaign of campaigns) {
    if (campaign.intervalS > interval) interval = campaign.intervalS;
    if (campaign.extraS > extra) extra = campaign.extraS;
  }
  return Math.round(interval * 1000 + extra * 1000 * random);
}

/** All in monotonic ms: due time, actual time, gap to the next message. */
export function gridAfter(due: number, left: number, gap: number): number {
  return Math.max(due, left - Math.min(TOLERANCE_MS, gap / 10));
}
