import { ownPath } from "../lib/own-path.ts";

const PLACE = "recado-way-back";
/** Lifetime of the e-mail's link. */
const HOUR_MS = 60 * 60_000;

declare module "@tanstack/history" {
  interface HistoryState {
    /** Passed between the login forms, never in the address. */
    typedEmail?: string;
  }
}

/** Target after an e-mailed link, kept in browser storage: the link usually opens in another tab. */
export function storeReturnTo(to: string | undefined, now: number): void {
  try {
    if (to === undefined) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, JSON.stringify({ to, at: now }));
  } catch {
    // Without storage it goes to the dashboard.
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
