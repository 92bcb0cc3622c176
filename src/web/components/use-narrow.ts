import { useSyncExternalStore } from "react";

/** Below this our style sheets show what is meant for a telephone. */
const narrow = matchMedia("(max-width: 47.9375em)");

function watch(changed: () => void) {
  narrow.addEventListener("change", changed);
  return () => narrow.removeEventListener("change", changed);
}

/** Whether the page is as narrow as a telephone, also after it was turned. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow.matches);
}
