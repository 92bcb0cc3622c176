import type { LogItem } from "./log-items.ts";

/** Drawn range (`to` exclusive) and heights above and below it. */
export type LogWindow = { from: number; to: number; above: number; below: number };

/** Drawn beyond the visible part, in px: fast scrolling moves some 600 per frame. */
const BEYOND_PX = 900;
/** Drawn at the end before heights are known: a high screen of shortest messages. */
const AT_END = 40;
const MOST = 90;
/** Height with gap of a two-line message, until one is measured. */
const USUAL_PX = 74;
/** Samples for the usual height. Then it is fixed, or the total height would keep changing. */
const ENOUGH = 20;

/** Measured heights with gap, by key; `usual`: estimate for the others. */
export type Heights = { of: Map<string, number>; usual: number };

export const noHeights = (): Heights => ({ of: new Map(), usual: USUAL_PX });

export function noteHeights(heights: Heights, measured: readonly (readonly [string, number])[]): void {
  if (heights.of.size < ENOUGH && measured.length > 0)
    heights.usual = measured.reduce((sum, [, height]) => sum + height, 0) / measured.length;
  for (const [key, height] of measured) heights.of.set(key, height);
}

/** `places[n]`: top of item n; the last entry is the total height. */
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

/** Day and unread lines move when older messages load: start at a message. */
function startingAtMessage(items: readonly LogItem[], at: number): number {
  let from = at;
  while (from > 0 && items[from]?.what !== "message") from--;
  return from;
}

export function messageAt(items: readonly LogItem[], at: number): string | null {
  return items.slice(at, at + 3).find(({ what }) => what === "message")?.key ?? null;
}
