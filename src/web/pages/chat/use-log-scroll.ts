import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";

/** So near to the end counts as being there; so near to the beginning older messages are asked for. */
const END_PX = 48;
const BEGINNING_PX = 600;

type Place = {
  /** The first message that is drawn; it changes when older ones come before it. */
  first: string | undefined;
  /** How many of one's own are on their way: with a new one the end comes into view. */
  outgoing: number;
  older: () => void;
  setAtEnd: (atEnd: boolean) => void;
};

/**
 * Keeps the eye where it is: at the end while one is there, else at the message one reads, whatever comes before or after it.
 * Every message carries its key as `data-key`.
 */
export function useLogScroll(
  box: RefObject<HTMLElement | null>,
  { first, outgoing, older, setAtEnd }: Place,
) {
  const pinned = useRef(true);
  const before = useRef<{ first: string | undefined; top: number; outgoing: number } | null>(null);

  const toEnd = useCallback(() => {
    const element = box.current;
    if (!element) return;
    pinned.current = true;
    setAtEnd(true);
    element.scrollTop = element.scrollHeight;
  }, [box, setAtEnd]);

  const topOf = useCallback(
    (key: string | undefined) =>
      key === undefined
        ? 0
        : (box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.offsetTop ?? 0),
    [box],
  );

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { current: was } = before;
    if (!was || pinned.current || outgoing > was.outgoing) toEnd();
    else if (was.first !== first) element.scrollTop += topOf(was.first) - was.top;
    before.current = { first, top: topOf(first), outgoing };
  });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // A picture that arrives, a window that gets smaller: whoever was at the end stays there.
    const observer = new ResizeObserver(() => {
      if (pinned.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [box]);

  const look = useCallback(() => {
    const element = box.current;
    if (!element || element.clientHeight === 0) return;
    const now = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    if (now !== pinned.current) {
      pinned.current = now;
      setAtEnd(now);
    }
    if (element.scrollTop < BEGINNING_PX) older();
  }, [box, older, setAtEnd]);
  // Few messages may leave no room to scroll.
  useEffect(look);
  return { look, toEnd };
}
