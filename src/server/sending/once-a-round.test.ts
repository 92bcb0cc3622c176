import { expect, test } from "vitest";
import { onceARound } from "./once-a-round.ts";

const round = () => new Promise((resolve) => setImmediate(resolve));

test("works once for all that was heard in one round, and again for what is heard after", async () => {
  const worked: number[] = [];
  let heard = 0;
  const hear = onceARound(() => worked.push(heard));
  for (const one of [1, 2, 3]) {
    await Promise.resolve();
    heard = one;
    hear();
  }
  expect(worked).toEqual([]);
  await round();
  expect(worked).toEqual([3]);
  heard = 4;
  hear();
  await round();
  expect(worked).toEqual([3, 4]);
});

test("what is heard while it works is worked on in the next round", async () => {
  let worked = 0;
  const hear = onceARound(() => {
    worked += 1;
    if (worked === 1) hear();
  });
  hear();
  await round();
  await round();
  expect(worked).toBe(2);
});
