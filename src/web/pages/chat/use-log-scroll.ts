import { observeElementRect, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { useFocusOfRemovedRow } from "../../ui/use-rows-in-view.ts";
import type { LogItem } from "./log-items.ts";

const END_PX = 48;
const BEGINNING_PX = 1_500;
/** Height with gap of a one-line message: the estimate for items not drawn yet. */
const USUAL_PX = 61.48;
/** Drawn beyond the visible items: fast scrolling moves some 600 px per frame. */
const OVERSCAN = 15;

export type Drawing = { "data-index": number; ref: (element: HTMLElement | null) => void };

type Place = {
  items: readonly LogItem[];
  outgoing: number;
  older: () => void;
  setAtEnd: (atEnd: boolean) => void;
};

type Box = RefObject<HTMLElement | null>;

/** Virtualizes the log: draws `items` between two spaces, and keeps the end, or the item being read, in place. */
export function useLogScroll(box: Box, space: Box, { items, outgoing, older, setAtEnd }: Place) {
  const seen = useRef({ atEnd: true, end: 0, outgoing });
  const { virtualizer, ...drawing } = useDrawnItems(box, space, items, () => seen.current.atEnd);
  const look = useCallback(() => {
    const element = box.current;
    if (!element || element.clientHeight === 0) return;
    const before = seen.current;
    const end = element.scrollHeight - element.clientHeight;
    const sends = outgoing > before.outgoing;
    // Growth is no scroll away from the end, and a scroll is reported one frame late.
    const from = before.atEnd ? Math.min(before.end, end) : end;
    const atEnd = sends || from - element.scrollTop < END_PX;
    seen.current = { atEnd, end, outgoing };
    if (sends || (atEnd && before.atEnd && end !== before.end)) virtualizer.scrollToEnd();
    if (atEnd !== before.atEnd) setAtEnd(atEnd);
    if (element.scrollTop < BEGINNING_PX) older();
  }, [box, outgoing, older, setAtEnd, virtualizer]);
  const toEnd = useCallback(() => {
    seen.current.atEnd = true;
    setAtEnd(true);
    virtualizer.scrollToEnd();
  }, [setAtEnd, virtualizer]);
  const toItem = useCallback(
    (index: number) => {
      seen.current.atEnd = false;
      virtualizer.scrollToIndex(index, { align: "center" });
    },
    [virtualizer],
  );
  useLayoutEffect(look);
  useFocusOfRemovedRow(box);
  return { look, toEnd, toItem, ...drawing };
}

function useDrawnItems(box: Box, space: Box, items: readonly LogItem[], isAtEnd: () => boolean) {
  const [scrollMargin, setScrollMargin] = useState(0);
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: items.length,
    getItemKey: useCallback((at: number) => items[at]?.key ?? at, [items]),
    estimateSize: () => USUAL_PX,
    getScrollElement: () => box.current,
    measureElement: heightWithGap,
    observeElementRect: (log, onRect) =>
      observeElementRect(log, (rect) => {
        onRect(rect);
        if (isAtEnd()) log.scrollToEnd();
      }),
    initialOffset: Number.MAX_SAFE_INTEGER,
    initialRect: { width: innerWidth, height: innerHeight },
    anchorTo: "end",
    scrollEndThreshold: END_PX / 2,
    scrollMargin,
    overscan: OVERSCAN,
    // Items stand in the flow: drawn within the observer of heights, they would be measured a frame late.
    useFlushSync: false,
  });
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ end }, _, { scrollOffset }) =>
    end <= (scrollOffset ?? 0);
  const measure = useCallback(
    (element: HTMLElement | null) => {
      virtualizer.measureElement(element);
      // While scrolling the library measures a frame late.
      if (element) virtualizer.resizeItem(virtualizer.indexFromElement(element), heightWithGap(element));
    },
    [virtualizer],
  );
  useLayoutEffect(() => setScrollMargin(space.current?.offsetTop ?? 0));
  const drawn = virtualizer.getVirtualItems();
  const above = (drawn.at(0)?.start ?? scrollMargin) - scrollMargin;
  const below = virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? scrollMargin) + scrollMargin;
  return { virtualizer, drawn, above, below, measure };
}

/** Up to the next element. Hundredths, since whole pixels would add up to a jump. */
function heightWithGap(element: HTMLElement): number {
  const { top } = element.getBoundingClientRect();
  const next = element.nextElementSibling?.getBoundingClientRect().top ?? top;
  return Math.round((next - top) * 100) / 100;
}
