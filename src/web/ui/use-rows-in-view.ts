import { observeElementRect, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Rows drawn beyond the visible ones, so that fast scrolling shows no gaps. */
const OVERSCAN = 6;

/** Rows of fixed height, as the places `from` to `to` (excluded). */
export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, height: number) {
  useFocusOfRemovedRow(box);
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count,
    estimateSize: () => height,
    getScrollElement: () => box.current,
    initialRect: { width: innerWidth, height: innerHeight },
    // On paper the box grows with its rows: each would bring more.
    observeElementRect: (list, onRect) =>
      observeElementRect(list, (rect) => matchMedia("print").matches || onRect(rect)),
    overscan: OVERSCAN,
  });
  const rows = virtualizer.getVirtualItems();
  const from = rows.at(0)?.index ?? 0;
  return {
    from,
    to: (rows.at(-1)?.index ?? from - 1) + 1,
    scrollTo: (index: number) => virtualizer.scrollToIndex(index, { align: "auto" }),
  };
}

/** When the focused row is no longer drawn, the focus moves to the box. */
export function useFocusOfRemovedRow(box: RefObject<HTMLElement | null>) {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const note = () => {
      focused.current = element.contains(document.activeElement) ? document.activeElement : null;
    };
    const lost = document.activeElement === document.body && focused.current?.isConnected === false;
    if (lost) element.focus({ preventScroll: true });
    note();
    element.addEventListener("focusin", note);
    return () => element.removeEventListener("focusin", note);
  });
}
