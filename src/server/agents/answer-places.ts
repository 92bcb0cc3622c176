import type { Clock } from "../../domain/clock.ts";

/** Times in milliseconds. */
export type PlaceLimits = {
  /** Answers of one account that are thought about at once. */
  ofAccount: number;
  /** Those of all accounts that were slow of late together: the other places stay for whoever gets answers in no time. */
  ofSlow: number;
  /** An answer that took longer than this makes its account slow, and for how long. */
  slow: number;
  slowFor: number;
  /** When somebody comes back who got no place, and how long after the one before. */
  again: number;
  apart: number;
};

/** A place, to be given back; or after how many milliseconds to ask again. */
export type Place = { release(): void } | { againMs: number };

const LONGEST_WAIT_MS = 30_000;

/**
 * Shares the places of a process among accounts: anybody may name an address as their Mistral that takes a minute over each answer, and
 * have it asked by a thousand chats.
 */
export function answerPlaces(limits: PlaceLimits, clock: Pick<Clock, "monotonic">) {
  const taken = new Map<string, number>();
  const slowUntil = new Map<string, number>();
  const last = new Map<string, number>();

  const isSlow = (account: string, now: number) => (slowUntil.get(account) ?? 0) > now;

  function hasRoom(account: string, now: number): boolean {
    if ((taken.get(account) ?? 0) >= limits.ofAccount) return false;
    if (!isSlow(account, now)) return true;
    const ofSlow = [...taken].reduce((sum, [one, places]) => sum + (isSlow(one, now) ? places : 0), 0);
    return ofSlow < limits.ofSlow;
  }

  /** One after the other: hundreds of chats that come back together would be hundreds of jobs at once, again and again. */
  function againMs(account: string, now: number): number {
    const at = Math.max(now + limits.again, (last.get(account) ?? 0) + limits.apart);
    const wait = Math.min(at - now, LONGEST_WAIT_MS);
    last.set(account, now + wait);
    return wait;
  }

  function giveBack(account: string, since: number): void {
    const left = (taken.get(account) ?? 1) - 1;
    if (left > 0) taken.set(account, left);
    else taken.delete(account);
    const now = clock.monotonic();
    if (now - since > limits.slow) slowUntil.set(account, now + limits.slowFor);
    else if (!isSlow(account, now)) slowUntil.delete(account);
    if ((last.get(account) ?? 0) < now) last.delete(account);
  }

  return function take(account: string): Place {
    const now = clock.monotonic();
    if (!hasRoom(account, now)) return { againMs: againMs(account, now) };
    taken.set(account, (taken.get(account) ?? 0) + 1);
    return { release: () => giveBack(account, now) };
  };
}
