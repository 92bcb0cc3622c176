import { useSyncExternalStore } from "react";

function media(query: string) {
  const list = matchMedia(query);
  const watch = (changed: () => void) => {
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  };
  return (): boolean => useSyncExternalStore(watch, () => list.matches);
}

export const useNarrow = media("(max-width: 47.9375em)");

/** Probably the phone WhatsApp runs on, which cannot scan its own screen. */
export const useSmallTouch = media("(max-width: 47.9375em) and (pointer: coarse)");

export const useTiny = media("(max-width: 14.9375em)");
