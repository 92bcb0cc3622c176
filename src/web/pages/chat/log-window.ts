import type { LogItem } from "./log-items.ts";

/** Which items of a log are drawn, the end excluded, and how high what is above and below them is. */
export type LogWindow = { from: number; to: number; above: number; below: number };

/** Drawn beyond what is visible, above and below, in pixels: fast fingers move some 600 within a frame. */
const BEYOND_PX = 900;
/** At the end so many are drawn before anything is known of their heights: a high screen full of the shortest messages. */
const AT_END = 40;
/** Whatever their heights: no more than these are ever in the page. */
const MOST = 90;
/** A message of two lines, with what lies between it and the next: as long as none was measured. */
const USUAL_PX = 74;
/** So many tell what is usual in this conversation. It stays, or what is not drawn would grow and shrink for ever. */
const ENOUGH = 20;

/** Heights of items by their keys, with the gap to the next, as they were measured; the first tell what others are taken for. */
export type Heights = { of: Map<string, number>; usual: number };

export const noHeights = (): Heights => ({ of: new Map(), usual: USUAL_PX });

export function noteHeights(heights: Heights, measured: readonly (readonly [string, number])[]): void {
  if (heights.of.size < ENOUGH && measured.length > 0)
    heights.usual = measured.reduce((sum, [, height]) => sum + height, 0) / measured.length;
  for (const [key, height] of measured) heights.of.set(key, height);
}

/** Where items stand, reckoned from the first: `places[n]` is the top of item n, the last one the end of all. */
export function placesOf(items: readonly LogItem[], heights: Heights): Float64Array {
  const places = new Float64Array(items.length + 1);
  let top = 0;
  for (const [at, { key }] of items.entries()) {
    places[at] = top;
    top += heights.of.get(key) ?? heights.usual;
  }
  places[items.length] = top;
  return places;
}

/** The window around what is visible between two places; `null`: at the end of all. */
export function windowOf(
  items: readonly LogItem[],
  places: Float64Array,
  visible: { top: number; bottom: number } | null,
): LogWindow {
  const count = items.length;
  const whole = places[count] ?? 0;
  const cut = (from: number, to: number) => ({
    from,
    to,
    above: places[from] ?? 0,
    below: whole - (places[to] ?? whole),
  });
  if (!visible) return cut(startingAtMessage(items, Math.max(0, count - AT_END)), count);
  const from = startingAtMessage(items, itemAt(places, visible.top - BEYOND_PX));
  const to = Math.min(count, itemAt(places, visible.bottom + BEYOND_PX) + 1, from + MOST);
  return cut(from, to);
}

/** Which item stands at a height, found by halving. */
export function itemAt(places: Float64Array, height: number): number {
  let low = 0;
  let high = Math.max(0, places.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Days and lines move when older messages come before them; a message stays what it is. */
function startingAtMessage(items: readonly LogItem[], at: number): number {
  let from = at;
  while (from > 0 && items[from]?.what !== "message") from--;
  return from;
}

/** The key of the message at an item, or of the next one below it. */
export function messageAt(items: readonly LogItem[], at: number): string | null {
  return items.slice(at, at + 3).find(({ what }) => what === "message")?.key ?? null;
}
