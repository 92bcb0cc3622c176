import { useSyncExternalStore } from "react";

function media(query: string) {
  const list = matchMedia(query);
  const watch = (changed: () => void) => {
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  };
  return (): boolean => useSyncExternalStore(watch, () => list.matches);
}

/** Whether the page is as narrow as a telephone, for which our style sheets have layouts of their own, also after it was turned. */
export const useNarrow = media("(max-width: 47.9375em)");

/** Whether the screen is small and touched: most likely the phone that WhatsApp runs on, which cannot scan its own screen. */
export const useSmallTouch = media("(max-width: 47.9375em) and (pointer: coarse)");

/** Whether it is a telephone with text twice as large, where a line has room for one thing. */
export const useTiny = media("(max-width: 14.9375em)");
