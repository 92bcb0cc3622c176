import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { LogItem } from "./log-items.ts";
import {
  type Heights,
  itemAt,
  type LogWindow,
  messageAt,
  noHeights,
  noteHeights,
  placesOf,
  windowOf,
} from "./log-window.ts";

/** So near to the end counts as being there; so near to the beginning older messages are asked for. */
const END_PX = 48;
const BEGINNING_PX = 1_500;
/** When less than this is drawn beyond what is visible, the window moves on. */
const MARGIN_PX = 400;

type Place = {
  items: readonly LogItem[];
  /** How many of one's own are on their way: with a new one the end comes into view. */
  outgoing: number;
  older: () => void;
  setAtEnd: (atEnd: boolean) => void;
};

/** What the eye rests on: a drawn message, and how far below the top of the column it stood. */
type Anchor = { key: string; top: number };

/**
 * Draws of a log only what is near to the visible part, and keeps the eye where it is: at the end while one is there, else at the
 * message one reads, whatever comes before or after it, and however high what is not drawn turns out to be. The column holds in this
 * order: what stands above all, a space, the drawn items (each one element, messages with their key as `data-key`), a space.
 */
export function useLogScroll(
  box: RefObject<HTMLElement | null>,
  column: RefObject<HTMLElement | null>,
  { items, outgoing, older, setAtEnd }: Place,
) {
  const pinned = useRef(true);
  const anchor = useRef<Anchor | null>(null);
  const inside = useRef(false);
  const sent = useRef(outgoing);
  // How high the column was when it was last drawn, and how far one could scroll in it.
  const stood = useRef({ whole: 0, most: 0 });
  const heights = useRef<Heights>(noHeights());
  // The message at the top of the window; null: the end, wherever that is.
  const [seen, setSeen] = useState<string | null>(null);
  const indexes = useMemo(() => new Map(items.map(({ key }, at) => [key, at])), [items]);
  const places = placesOf(items, heights.current);
  const at = seen === null ? undefined : indexes.get(seen);
  const top = at === undefined ? null : (places[at] ?? 0);
  const window = windowOf(
    items,
    places,
    top === null ? null : { top, bottom: top + (box.current?.clientHeight ?? 0) },
  );

  const toEnd = useCallback(() => {
    const element = box.current;
    if (!element) return;
    pinned.current = true;
    setSeen(null);
    setAtEnd(true);
    element.scrollTop = element.scrollHeight;
  }, [box, setAtEnd]);

  useLayoutEffect(() => {
    const element = box.current;
    const drawn = drawnIn(column.current);
    if (!element) return;
    noteHeights(heights.current, measured(drawn, items.slice(window.from, window.to)));
    // The browser tells of what a hand has moved with the next frame: what is drawn before it must not take the reader back.
    const most = Math.min(stood.current.most, mostOf(element));
    if (pinned.current && most - element.scrollTop >= END_PX) {
      pinned.current = false;
      setAtEnd(false);
    }
    // Nor whoever begins to scroll, when nothing came.
    const grown = element.scrollHeight !== stood.current.whole;
    if (outgoing > sent.current || (pinned.current && grown)) toEnd();
    else if (!pinned.current && anchor.current) {
      const { key, top: before } = anchor.current;
      const now = drawn.tops[drawn.elements.findIndex((each) => each.dataset.key === key)];
      if (now !== undefined && now !== before) element.scrollTop += now - before;
    }
    sent.current = outgoing;
    stood.current = { whole: element.scrollHeight, most: mostOf(element) };
    anchor.current = anchorOf(element, drawn);
    // Whoever had the keyboard on a message that is drawn no more goes on in the log, not at the top of the page.
    if (inside.current && document.activeElement === document.body) element.focus({ preventScroll: true });
  });

  useKeptEnd(box, column, pinned, heights);

  const look = useCallback(() => {
    const element = box.current;
    if (!element || element.clientHeight === 0) return;
    const now = mostOf(element) - element.scrollTop < END_PX;
    if (now !== pinned.current) {
      pinned.current = now;
      setAtEnd(now);
    }
    inside.current = element.contains(document.activeElement);
    anchor.current = anchorOf(element, drawnIn(column.current));
    const first = column.current?.children[1];
    const visible = element.scrollTop - (first instanceof HTMLElement ? first.offsetTop : 0);
    if (isShort(window, places, visible, visible + element.clientHeight))
      setSeen(now ? null : messageAt(items, itemAt(places, visible)));
    if (element.scrollTop < BEGINNING_PX) older();
  }, [box, column, items, places, window, older, setAtEnd]);
  // Few messages may leave no room to scroll.
  useEffect(look);
  return { look, toEnd, window };
}

/** How far one can scroll. */
const mostOf = (box: HTMLElement) => box.scrollHeight - box.clientHeight;

/** Whether too little is drawn around what is visible. */
function isShort({ from, to }: LogWindow, places: Float64Array, top: number, bottom: number): boolean {
  const count = places.length - 1;
  return (
    (from > 0 && (places[from] ?? 0) > top - MARGIN_PX) ||
    (to < count && (places[to] ?? 0) < bottom + MARGIN_PX)
  );
}

/** The elements of the items, between the two spaces, and where each begins; the last place is where the second space does. */
type Drawn = { elements: readonly HTMLElement[]; tops: readonly number[] };

/** Each place is read once: reading is slow, and while one scrolls this is asked with every frame. */
function drawnIn(column: HTMLElement | null): Drawn {
  const all = [...(column?.children ?? [])].slice(2).filter((each) => each instanceof HTMLElement);
  return { elements: all.slice(0, -1), tops: all.map(({ offsetTop }) => offsetTop) };
}

/** From the top of each to the top of the next: with margins and gaps. */
function measured({ tops }: Drawn, items: readonly LogItem[]) {
  return items.flatMap(({ key }, at) => {
    const top = tops[at];
    const next = tops[at + 1];
    return top === undefined || next === undefined ? [] : [[key, next - top] as const];
  });
}

/** The first drawn message of which something is visible. */
function anchorOf({ scrollTop, clientHeight }: HTMLElement, { elements, tops }: Drawn): Anchor | null {
  for (const [at, { dataset }] of elements.entries()) {
    const top = tops[at] ?? 0;
    if (top > scrollTop + clientHeight) return null;
    if (dataset.key !== undefined && (tops[at + 1] ?? 0) > scrollTop) return { key: dataset.key, top };
  }
  return null;
}

/** A picture that arrives, a window that gets smaller: whoever was at the end stays there. In another width all heights are others. */
function useKeptEnd(
  box: RefObject<HTMLElement | null>,
  column: RefObject<HTMLElement | null>,
  pinned: RefObject<boolean>,
  heights: RefObject<Heights>,
) {
  useEffect(() => {
    const element = box.current;
    if (!element || !column.current) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) heights.current = noHeights();
      width = element.clientWidth;
      if (pinned.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(column.current);
    return () => observer.disconnect();
  }, [box, column, pinned, heights]);
}
