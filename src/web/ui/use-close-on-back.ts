import { type RouterHistory, useRouter } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";

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
export function useCloseOnBack(onBack: () => void, open = true): void {
  const router = useRouter();
  const latest = useRef(onBack);
  useEffect(() => {
    latest.current = onBack;
  });
  // Before the window is painted: a step back in between would be taken for a wish to leave the page below.
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
        // The router shows the page anew where it was scrolled to, which it notes at a scroll: of this entry there may have been none.
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
 * Does `act` once the browser stands where the router does. While a step back is taken back it does not, and a closing window that
 * replaces its address would overwrite the page before. Answers how to give up.
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
/** Keys of the entries whose address stands there twice. The browser's history outlives a load of the page, so they do as well. */
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
    // Until the page is loaded anew they are known all the same.
  }
}

/**
 * On the first entry of this load Back would leave it unasked. So the same address stands there twice while it is needed; whoever comes
 * back to the first of the two wanted to go further, and does (`passDoubled`).
 */
function standAfterFirst(router: ReturnType<typeof useRouter>): void {
  const { __TSR_index: index, __TSR_key: below } = router.history.location.state;
  if (index > FIRST || below === undefined) return;
  double(below);
  // Told apart by its state: to the very same place nobody goes.
  const state = { ...router.latestLocation.state, twice: true };
  void router.commitLocation({
    ...{ ...router.latestLocation, state },
    ...{ resetScroll: false, ignoreBlocker: true },
  });
}

/** Goes on where a step back comes to an address that stands there twice. */
export function skipDuplicateEntries(history: RouterHistory): void {
  let from = history.location.state.__TSR_index;
  history.subscribe(({ location }) => {
    const { __TSR_index: index, __TSR_key: key } = location.state;
    const steps = index - from;
    from = index;
    if (steps !== -1 || !doubled.has(key ?? "")) return;
    // Below the first of all nothing is ours: no step would arrive there to use up the leave to go unasked, and the next one would.
    if (index === 0) window.history.back();
    else history.back({ ignoreBlocker: true });
  });
}
