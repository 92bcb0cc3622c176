import { useLayoutEffect, useRef } from "react";

/**
 * For a row or a card that may go at any time, by what was pressed in it or by another window: the keyboard that is in it goes on in what
 * is around it, where browsers would let it fall out of the page.
 */
export function useFocusOnUnmount<E extends HTMLElement>() {
  const place = useRef<E>(null);
  useLayoutEffect(() => {
    const here = place.current;
    const around = here?.parentElement?.closest<HTMLElement>("[tabindex]");
    return () => {
      const { activeElement: now } = document;
      // A button that waits for its answer is dead, and has let the keyboard fall already.
      const waits = now === document.body && here?.querySelector("[aria-busy=true]");
      if (waits || here?.contains(now)) around?.focus({ preventScroll: true });
    };
  }, []);
  return place;
}
