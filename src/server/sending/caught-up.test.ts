import { expect, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import { caughtUp } from "./caught-up.ts";
import type { Lane } from "./lane-deps.ts";

/** A lane of which nothing is asked but that it wakes up. */
function someLane() {
  let woken = 0;
  const lane = { wake: () => void woken++ } as unknown as Lane;
  return { lane: () => lane, woken: () => woken };
}

const base = { accountId: "a", log: testLog, poll: 1 };

test("a lane waits for what was told, is woken once it is in, and asks no more", async () => {
  const { lane, woken } = someLane();
  let asked = 0;
  const told = async () => async () => ++asked === 3;
  const isIn = caughtUp({ ...base, lane, told, clock: { monotonic: () => 0 } });
  expect(isIn()).toBe(false);
  await expect.poll(woken).toBe(1);
  expect([isIn(), asked]).toEqual([true, 3]);
});

test("what cannot be asked for is asked for again; what is never in is waited for ten minutes and no longer", async () => {
  const { lane, woken } = someLane();
  let now = 0;
  let failed = 0;
  const told = async () => {
    if (failed++ === 0) throw new Error("the database is away");
    return async () => {
      now += 60_000;
      return false;
    };
  };
  const isIn = caughtUp({ ...base, lane, told, clock: { monotonic: () => now } });
  await expect.poll(woken).toBe(1);
  expect([isIn(), failed, now]).toEqual([true, 2, 600_000]);
});

test("a lane that is gone asks no more, and wakes nobody", async () => {
  let asked = 0;
  let gone = () => {};
  const over = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const told = async () => async () => {
    asked++;
    return false;
  };
  const lane = () => {
    gone();
    return undefined;
  };
  caughtUp({ ...base, lane, told, clock: { monotonic: () => 0 } });
  await over;
  await expect.poll(() => asked).toBe(1);
});
