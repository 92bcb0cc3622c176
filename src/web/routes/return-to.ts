import { ownPath } from "../lib/own-path.ts";

const PLACE = "recado-way-back";
/** As long as the link of the letter holds. */
const HOUR_MS = 60 * 60_000;

declare module "@tanstack/history" {
  interface HistoryState {
    /** What was typed as e-mail at the door, carried from one of its forms to the next, and never in the address. */
    typedEmail?: string;
  }
}

/**
 * Where a person wanted to go who has asked for the link of a letter. The link opens wherever the mail is read, mostly in another tab,
 * which has nothing of this one but what the browser keeps.
 */
export function keepReturnTo(to: string | undefined, now: number): void {
  try {
    if (to === undefined) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, JSON.stringify({ to, at: now }));
  } catch {
    // Storage may be forbidden: the way then leads to the dashboard.
  }
}

export function readReturnTo(now: number): string | undefined {
  try {
    const { to, at } = JSON.parse(localStorage.getItem(PLACE) ?? "{}") as { to?: unknown; at?: number };
    return now - (at ?? 0) < HOUR_MS ? ownPath(to) : undefined;
  } catch {
    return undefined;
  }
}
