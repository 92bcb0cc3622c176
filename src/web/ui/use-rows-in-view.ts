import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Rows that are drawn above and below what is visible, so that fast scrolling shows no gaps. */
const BEYOND = 6;

/** Which of equally high rows a scrolling box shows: only those are drawn, however many there are. */
export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, height: number) {
  // Until the observer below tells how high the box is: it is no higher than the window, and to ask it would lay out the whole page at once.
  const [seen, setSeen] = useState(() => ({ from: 0, to: Math.ceil(innerHeight / height) }));
  /** Where in the box the keyboard was. */
  const held = useRef<Element | null>(null);
  const keepKeyboard = useCallback(() => {
    const element = box.current;
    if (!element) return;
    // Whoever had the keyboard in a row that is drawn no more scrolls on in the box.
    const lost = document.activeElement === document.body && held.current?.isConnected === false;
    if (lost) element.focus({ preventScroll: true });
    held.current = element.contains(document.activeElement) ? document.activeElement : null;
  }, [box]);
  useLayoutEffect(keepKeyboard);
  const look = useCallback(() => {
    const element = box.current;
    // On paper the box is as high as what it holds: each row would bring further ones.
    if (!element || matchMedia("print").matches) return;
    keepKeyboard();
    const from = Math.max(0, Math.floor(element.scrollTop / height) - BEYOND);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / height) + BEYOND;
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  }, [box, height, keepKeyboard]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, look]);
  const to = Math.min(count, seen.to);
  const from = Math.min(seen.from, to);
  /** Brings a row into view, by the shortest way. */
  const scrollTo = (index: number) => {
    const element = box.current;
    if (!element) return;
    const top = index * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height - element.clientHeight;
    look();
  };
  return { from, to, scrollTo };
}
