import { type RouterHistory, useRouter } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";

declare module "@tanstack/history" {
  interface HistoryState {
    /** Same address as the entry below, which Back passes over. */
    copy?: boolean;
  }
}

const windows: object[] = [];

/** Whether Back now closes a dialog, and so must not count as leaving the page. */
export const backIsTaken = (): boolean => windows.length > 0;

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
  // Before paint, which `useBlocker` is not: an earlier Back would leave the page below.
  useLayoutEffect(() => {
    if (!open) return;
    const own = {};
    let stop = () => {};
    windows.push(own);
    const unblock = router.history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action === "PUSH" || action === "REPLACE" || windows.at(-1) !== own) return false;
        // The router restores the scroll position noted at the last scroll; this entry may have none.
        document.dispatchEvent(new Event("scroll"));
        stop();
        stop = afterUndo(() => latest.current());
        return true;
      },
    });
    standOnCopy(router);
    return () => {
      unblock();
      stop();
      windows.splice(windows.indexOf(own), 1);
    };
  }, [router, open]);
}

/**
 * Runs `act` once the router has undone the Back that a blocker now refuses: until then it would overwrite the
 * page before. Returns a cancel function.
 */
export function afterUndo(act: () => void): () => void {
  const cancel = new AbortController();
  addEventListener("popstate", act, { once: true, signal: cancel.signal });
  return () => cancel.abort();
}

/** Back on the first entry would leave the page unasked, so its address is duplicated. */
function standOnCopy(router: ReturnType<typeof useRouter>): void {
  if (router.history.canGoBack()) return;
  // A navigation still queued would swallow the copy.
  router.history.flush();
  const state = { ...router.latestLocation.state, copy: true };
  void router.commitLocation({ ...router.latestLocation, state, resetScroll: false, ignoreBlocker: true });
}

/** Back from a copy to its original, the first entry, goes on. */
export function passCopies(history: RouterHistory): void {
  let copy = history.location.state.copy;
  history.subscribe(({ location, action }) => {
    const left = copy;
    copy = location.state.copy;
    if (action.type === "BACK" && left && !copy) window.history.back();
  });
}

/** State of an entry that replaces another: losing the mark, Back would show the original. */
export const keepCopy = ({ copy }: { copy?: boolean }) => (copy ? { copy } : {});
