import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Rows drawn beyond the visible ones, so that fast scrolling shows no gaps. */
const BEYOND = 6;

export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, height: number) {
  // Until the observer reports the box's height, assume the window's: measuring would force a layout of the
  // page.
  const [seen, setSeen] = useState(() => ({ from: 0, to: Math.ceil(innerHeight / height) }));
  const held = useRef<Element | null>(null);
  const keepKeyboard = useCallback(() => {
    const element = box.current;
    if (!element) return;
    // The focused row is no longer drawn: move the focus to the box.
    const lost = document.activeElement === document.body && held.current?.isConnected === false;
    if (lost) element.focus({ preventScroll: true });
    held.current = element.contains(document.activeElement) ? document.activeElement : null;
  }, [box]);
  useLayoutEffect(keepKeyboard);
  const look = useCallback(() => {
    const element = box.current;
    // On paper the box grows with its rows: each would bring more.
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
