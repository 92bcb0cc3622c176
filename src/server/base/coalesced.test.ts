import { setImmediate as turnOfEvents } from "node:timers/promises";
import { expect, test } from "vitest";
import { coalesced } from "./coalesced.ts";

test("what is asked for while it runs is done in one more run, and it is idle when that is over", async () => {
  const ends: (() => void)[] = [];
  const work = coalesced(() => new Promise<void>((end) => ends.push(end)));
  let isIdle = false;
  for (let times = 0; times < 3; times++) work.ask();
  const idle = work.idle().then(() => {
    isIdle = true;
  });
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await turnOfEvents();
  expect([ends.length, isIdle]).toEqual([2, false]);
  ends[1]?.();
  await idle;
  expect(ends).toHaveLength(2);
});
