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

/** Distance from the end that counts as the end, and from the top that loads older messages. */
const END_PX = 48;
const BEGINNING_PX = 1_500;
/** The window moves when less than this is drawn beyond the visible part. */
const MARGIN_PX = 400;

type Place = {
  items: readonly LogItem[];
  outgoing: number;
  older: () => void;
  setAtEnd: (atEnd: boolean) => void;
};

/** A drawn message and its distance from the column's top. */
type Anchor = { key: string; top: number };

/**
 * Virtualizes the log; keeps the end, or the message being read, in place. Column order: header, space, drawn
 * items (one element each, messages with `data-key`), space.
 */
export function useLogScroll(
  box: RefObject<HTMLElement | null>,
  column: RefObject<HTMLElement | null>,
  { items, outgoing, older, setAtEnd }: Place,
) {
  const pinned = useRef(true);
  const anchor = useRef<Anchor | null>(null);
  const inside = useRef(false);
  const stood = useRef({ whole: 0, most: 0, outgoing });
  const heights = useRef<Heights>(noHeights());
  const { places, window, setSeen } = useLogWindow(box, items, heights);

  const toEnd = useCallback(() => {
    const element = box.current;
    if (!element) return;
    pinned.current = true;
    setSeen(null);
    setAtEnd(true);
    element.scrollTop = element.scrollHeight;
  }, [box, setAtEnd, setSeen]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const drawn = drawnIn(column.current);
    noteHeights(heights.current, measured(drawn, items.slice(window.from, window.to)));
    if (pinned.current && hasLeftEnd(element, stood.current.most)) {
      pinned.current = false;
      setAtEnd(false);
    }
    const grown = element.scrollHeight !== stood.current.whole;
    if (outgoing > stood.current.outgoing || (pinned.current && grown)) toEnd();
    else if (!pinned.current && anchor.current) holdAnchor(element, drawn, anchor.current);
    stood.current = { whole: element.scrollHeight, most: mostOf(element), outgoing };
    anchor.current = anchorOf(element, drawn);
    // The focused message is no longer drawn: focus the log.
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
    const visible = element.scrollTop - topOfItems(column.current);
    if (isShort(window, places, visible, visible + element.clientHeight))
      setSeen(now ? null : messageAt(items, itemAt(places, visible)));
    if (element.scrollTop < BEGINNING_PX) older();
  }, [box, column, items, places, window, older, setAtEnd, setSeen]);
  useEffect(look);
  return { look, toEnd, window };
}

/** The part of the log that is drawn, around the message at the top. */
function useLogWindow(
  box: RefObject<HTMLElement | null>,
  items: readonly LogItem[],
  heights: RefObject<Heights>,
) {
  // Message at the top; null: the end.
  const [seen, setSeen] = useState<string | null>(null);
  const indexes = useMemo(() => new Map(items.map(({ key }, at) => [key, at])), [items]);
  const places = placesOf(items, heights.current);
  const at = seen === null ? undefined : indexes.get(seen);
  const top = at === undefined ? null : (places[at] ?? 0);
  const height = box.current?.clientHeight ?? 0;
  const window = windowOf(items, places, top === null ? null : { top, bottom: top + height });
  return { places, window, setSeen };
}

/** A scroll is reported one frame late: a render before that must not undo it. */
const hasLeftEnd = (box: HTMLElement, mostBefore: number) =>
  Math.min(mostBefore, mostOf(box)) - box.scrollTop >= END_PX;

/** Scrolls by as much as the message being read has moved. */
function holdAnchor(box: HTMLElement, drawn: Drawn, { key, top }: Anchor): void {
  const now = drawn.tops[drawn.elements.findIndex((each) => each.dataset.key === key)];
  if (now !== undefined && now !== top) box.scrollTop += now - top;
}

function topOfItems(column: HTMLElement | null): number {
  const first = column?.children[1];
  return first instanceof HTMLElement ? first.offsetTop : 0;
}

function mostOf(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight;
}

function isShort({ from, to }: LogWindow, places: Float64Array, top: number, bottom: number): boolean {
  const count = places.length - 1;
  return (
    (from > 0 && (places[from] ?? 0) > top - MARGIN_PX) ||
    (to < count && (places[to] ?? 0) < bottom + MARGIN_PX)
  );
}

/** Drawn elements between the spaces and their tops; the last top is the second space's. */
type Drawn = { elements: readonly HTMLElement[]; tops: readonly number[] };

/** Reads each position once: this runs on every scroll frame. */
function drawnIn(column: HTMLElement | null): Drawn {
  const all = [...(column?.children ?? [])].slice(2).filter((each) => each instanceof HTMLElement);
  return { elements: all.slice(0, -1), tops: all.map(({ offsetTop }) => offsetTop) };
}

function measured({ tops }: Drawn, items: readonly LogItem[]) {
  return items.flatMap(({ key }, at) => {
    const top = tops[at];
    const next = tops[at + 1];
    return top === undefined || next === undefined ? [] : [[key, next - top] as const];
  });
}

function anchorOf({ scrollTop, clientHeight }: HTMLElement, { elements, tops }: Drawn): Anchor | null {
  for (const [at, { dataset }] of elements.entries()) {
    const top = tops[at] ?? 0;
    if (top > scrollTop + clientHeight) return null;
    if (dataset.key !== undefined && (tops[at + 1] ?? 0) > scrollTop) return { key: dataset.key, top };
  }
  return null;
}

/** Stays at the end when a picture loads or the window shrinks. A new width discards all heights. */
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
