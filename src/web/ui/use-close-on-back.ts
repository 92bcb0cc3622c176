import { type RouterHistory, useRouter } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";

const windows: object[] = [];

/** Whether Back now closes a dialog, and so must not count as leaving the page. */
export const backIsTaken = (): boolean => windows.length > 0;

/** Position in the history where this load began; entries before it leave the page unasked. */
const FIRST: number = window.history.state?.__TSR_index ?? 0;

/**
 * While `open`, Back (Android's gesture too) calls `onBack`. The step is undone; an entry pushed per dialog
 * would collide with a navigation on close.
 */
export function useCloseOnBack(onBack: () => void, open = true): void {
  const router = useRouter();
  const latest = useRef(onBack);
  useEffect(() => {
    latest.current = onBack;
  });
  // Before paint: an earlier Back would leave the page below.
  useLayoutEffect(() => {
    if (!open) return;
    const { history } = router;
    const own = {};
    windows.push(own);
    const waits = [whenInPlace(history, () => standAfterFirst(router))];
    const unblock = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action === "PUSH" || action === "REPLACE" || windows.at(-1) !== own) return false;
        // The router restores the scroll position noted at the last scroll; this entry may have none.
        document.dispatchEvent(new Event("scroll"));
        waits.push(whenInPlace(history, () => latest.current()));
        return true;
      },
    });
    return () => {
      unblock();
      for (const stop of waits) stop();
      windows.splice(windows.indexOf(own), 1);
    };
  }, [router, open]);
}

/**
 * Runs `act` once browser and router agree: during an undone Back it would overwrite the page before. Returns
 * a cancel function.
 */
export function whenInPlace(history: RouterHistory, act: () => void): () => void {
  const stop = () => removeEventListener("popstate", look);
  const look = () => {
    const here: string | undefined = window.history.state?.__TSR_key;
    if (here !== undefined && here !== history.location.state.__TSR_key) return;
    stop();
    act();
  };
  addEventListener("popstate", look);
  history.flush();
  look();
  return stop;
}

const DOUBLED = "recado-doubled";
/** Keys of duplicated entries; stored, because the history survives a reload. */
const doubled = new Set<string>(keptKeys());

function keptKeys(): string[] {
  try {
    return (sessionStorage.getItem(DOUBLED) ?? "").split(" ");
  } catch {
    return [];
  }
}

function double(key: string): void {
  doubled.add(key);
  try {
    sessionStorage.setItem(DOUBLED, [...doubled].join(" "));
  } catch {
    // Until a reload they are known in memory.
  }
}

/**
 * Back on the first entry of this load would leave it unasked, so its address is duplicated. Returning to the
 * first copy continues further back (`passDoubled`).
 */
function standAfterFirst(router: ReturnType<typeof useRouter>): void {
  const { __TSR_index: index, __TSR_key: below } = router.history.location.state;
  if (index > FIRST || below === undefined) return;
  double(below);
  // The state must differ, as navigating to the same place adds no entry.
  const state = { ...router.latestLocation.state, twice: true };
  void router.commitLocation({
    ...router.latestLocation,
    state,
    resetScroll: false,
    ignoreBlocker: true,
  });
}

export function skipDuplicateEntries(history: RouterHistory): void {
  let from = history.location.state.__TSR_index;
  history.subscribe(({ location }) => {
    const { __TSR_index: index, __TSR_key: key } = location.state;
    const steps = index - from;
    from = index;
    if (steps !== -1 || !doubled.has(key ?? "")) return;
    // Nothing before the first entry is ours: no step would use up the permission to leave unasked.
    if (index === 0) window.history.back();
    else history.back({ ignoreBlocker: true });
  });
}
