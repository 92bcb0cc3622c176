import { useLayoutEffect, useRef } from "react";

export function useFocusOnUnmount<E extends HTMLElement>() {
  const place = useRef<E>(null);
  useLayoutEffect(() => {
    const here = place.current;
    const around = here?.parentElement?.closest<HTMLElement>("[tabindex]");
    return () => {
      const { activeElement: now } = document;
      // A pending button is disabled and has already lost the focus.
      const waits = now === document.body && here?.querySelector("[aria-busy=true]");
      if (waits || here?.contains(now)) around?.focus({ preventScroll: true });
    };
  }, []);
  return place;
}
