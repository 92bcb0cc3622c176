import { expect, test } from "vitest";
import type { ChatMessage } from "../../../contract/chats.ts";
import type { LogItem } from "./log-items.ts";
import { itemAt, messageAt, noHeights, noteHeights, placesOf, windowOf } from "./log-window.ts";

const log = (count: number): LogItem[] =>
  Array.from({ length: count }, (_, at) =>
    at === 0
      ? { what: "day", key: "day", at: "" }
      : { what: "message", key: `m${at}`, message: {} as ChatMessage, newSpeaker: false },
  );

test("what is not drawn is as high as what was measured, else as what is usual here", () => {
  const heights = noHeights();
  noteHeights(heights, [
    ["m1", 40],
    ["m2", 60],
  ]);
  expect([...placesOf(log(4), heights)]).toEqual([0, 50, 90, 150, 200]);
});

test("what is usual stays once enough was measured", () => {
  const heights = noHeights();
  noteHeights(
    heights,
    Array.from({ length: 20 }, (_, at) => [`m${at}`, 50] as const),
  );
  noteHeights(heights, [["m30", 500]]);
  expect(heights.usual).toBe(50);
});

test("of a hundred thousand messages at most ninety are drawn, wherever one is, and the spaces stand for the rest", () => {
  const items = log(100_000);
  const heights = noHeights();
  const places = placesOf(items, heights);
  const whole = places[items.length] ?? 0;
  for (const top of [0, 40, whole / 2, whole - 600, whole + 5_000]) {
    const { from, to, above, below } = windowOf(items, places, { top, bottom: top + 600 });
    expect(to - from).toBeLessThanOrEqual(90);
    expect(above + (to - from) * heights.usual + below).toBeCloseTo(whole);
    expect(above).toBeLessThanOrEqual(Math.min(top, whole));
    expect(above + (to - from) * heights.usual).toBeGreaterThanOrEqual(Math.min(top + 600, whole));
  }
  expect(windowOf(items, places, null)).toMatchObject({ to: 100_000, below: 0 });
});

test("messages a pixel high cannot fill the page", () => {
  const items = log(1_000);
  const heights = noHeights();
  noteHeights(
    heights,
    items.map(({ key }) => [key, 1] as const),
  );
  const { from, to } = windowOf(items, placesOf(items, heights), { top: 100, bottom: 700 });
  expect(to - from).toBe(90);
});

test("a place is found by its height, and remembered by a message, since a day moves when older ones come", () => {
  const items = log(10);
  const places = placesOf(items, noHeights());
  expect(itemAt(places, -5)).toBe(0);
  expect(itemAt(places, 74 * 3)).toBe(3);
  expect(itemAt(places, 1e9)).toBe(9);
  expect(messageAt(items, 0)).toBe("m1");
  expect(messageAt([], 0)).toBe(null);
});
