import { type RouterHistory, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** Open windows, the uppermost last. */
const windows: object[] = [];

/** Whether the browser's Back closes a window now, so that it is no wish to leave what lies below. */
export const backIsTaken = (): boolean => windows.length > 0;

/** Where in the browser's history this load of the page began: what lies before it is left without our being asked. */
const FIRST: number = window.history.state?.__TSR_index ?? 0;

/**
 * While `open`, the browser's Back (and Android's gesture) does `onBack` and stays: what was typed in a window was lost with the page
 * below it. The step is taken back rather than an entry pushed for each window, for a closing window may lead to another page, and an
 * entry that must go meets the one that comes.
 */
export function useBackCloses(onBack: () => void, open = true): void {
  const router = useRouter();
  const latest = useRef(onBack);
  useEffect(() => {
    latest.current = onBack;
  });
  useEffect(() => {
    if (!open) return;
    const { history } = router;
    const own = {};
    windows.push(own);
    standAfterFirst(router);
    const unblock = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action === "PUSH" || action === "REPLACE" || windows.at(-1) !== own) return false;
        // The router shows the page anew where it was scrolled to, which it notes at a scroll: of this entry there may have been none.
        document.dispatchEvent(new Event("scroll"));
        latest.current();
        return true;
      },
    });
    return () => {
      unblock();
      windows.splice(windows.indexOf(own), 1);
    };
  }, [router, open]);
}

/**
 * On the first entry of this load Back would leave it unasked. So the same address stands there twice while it is needed; whoever comes
 * back to the first of the two wanted to go further, and does.
 */
function standAfterFirst(router: ReturnType<typeof useRouter>): void {
  const history: RouterHistory = router.history;
  const { __TSR_index: index, __TSR_key: below } = history.location.state;
  if (index > FIRST) return;
  // Told apart by its state: to the very same place nobody goes.
  const state = { ...router.latestLocation.state, twice: true };
  void router.commitLocation({
    ...{ ...router.latestLocation, state },
    ...{ resetScroll: false, ignoreBlocker: true },
  });
  const stop = history.subscribe(({ location, action }) => {
    if (action.type !== "BACK" || location.state.__TSR_key !== below) return;
    stop();
    history.back({ ignoreBlocker: true });
  });
}
